# Sourced from the project's root: specs that talk to pyzmq find it under the name python3, wherever tools/need.sh
# installed it.
python3 -c 'import zmq' 2>/dev/null || export PATH="$PWD/target/venv/bin:$PATH"
