-- Certificate files: what is written, what is read, what is refused, and who may read it.

local helper = require "spec.helper"
local zmq = helper.zmq
local auth = zmq.auth
local errors = zmq.errors

local function fails(wanted, errno, value, message, number)
  assert.is_nil(value)
  assert.truthy(message:find(wanted, 1, true), message)
  assert.equal(errno, number)
end
local raises = helper.raises

local function content(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

local folders = 0

local function folder()
  folders = folders + 1
  local path = helper.path("certificates" .. folders)
  helper.shell("mkdir " .. path)
  return path
end

local function mode(path) return helper.shell("stat -c %a " .. path) end

describe("a certificate", function()
  if not zmq.has "curve" then
    it("says that the library lacks CURVE", function()
      fails("CURVE is not built into this libzmq", errors.ENOTSUP,
        auth.create_certificates(folder(), "joe"))
    end)
    return
  end

  it("is two files whose keys belong together", function()
    local where = folder()
    local public_file, secret_file = auth.create_certificates(where, "joe")
    assert.equal(where .. "/joe.key", public_file)
    assert.equal(where .. "/joe.key_secret", secret_file)

    local public, none = auth.load_certificate(public_file)
    assert.is_nil(none)
    local same, secret = auth.load_certificate(secret_file)
    assert.equal(public, same)
    assert.equal(public, zmq.curve_public(secret))
    assert.is_nil(content(public_file):find(secret, 1, true))
  end)

  it("is called create_certificate as well", function()
    assert.equal(auth.create_certificates, auth.create_certificate)
  end)

  it("keeps its secret file from everybody else, whatever the umask or the file before", function()
    local where = folder()
    local program = helper.write([[
      local auth = require "rzmq".auth
      assert(auth.create_certificates(arg[1], "joe"))]], ".lua")
    local run = ("umask 0; %s %s %s 2>&1"):format(helper.interpreter, program, where)
    assert.equal("", helper.shell(run))
    assert.equal("600", mode(where .. "/joe.key_secret"))
    assert.equal("666", mode(where .. "/joe.key"))

    helper.shell("chmod 666 " .. where .. "/joe.key_secret")
    local _, before = auth.load_certificate(where .. "/joe.key_secret")
    assert(auth.create_certificates(where, "joe"))
    assert.equal("600", mode(where .. "/joe.key_secret"))
    local _, after = auth.load_certificate(where .. "/joe.key_secret")
    assert.not_equal(before, after)
    assert.equal("joe.key\njoe.key_secret", helper.shell("ls -A " .. where))
  end)

  it("is never open to others while it is written", function()
    if helper.shell "strace -o /dev/null true 2>&1 || echo no" ~= "" then
      return pending "strace can't run here, so the system calls can't be seen"
    end
    local where = folder()
    local program = helper.write([[
      local auth = require "rzmq".auth
      assert(auth.create_certificates(arg[1], "joe"))]], ".lua")
    local trace = helper.shell(("strace -f -e trace=openat,creat,chmod,fchmod %s %s %s 2>&1")
      :format(helper.interpreter, program, where))
    local made = trace:match "key_secret[^\n]*O_CREAT[^\n]*"
    assert.truthy(made and made:find("O_EXCL", 1, true) and made:find("0600", 1, true), trace)
  end)

  it("carries metadata in both files", function()
    local metadata = {
      name = "Joe \"J\" Bloggs", email = "joe@example.org", quote = "it's", empty = "",
      number = 42, path = "a = b # c", ["x-y.z"] = "'",
    }
    local public_file, secret_file = auth.create_certificates(folder(), "joe", metadata)
    metadata.number = "42"
    for _, path in ipairs { public_file, secret_file } do
      assert.same(metadata, (select(3, auth.load_certificate(path))))
    end
  end)

  it("refuses metadata that the format can't hold", function()
    local where = folder()
    for _, metadata in ipairs {
      { name = "a\nb" }, { name = "a\0b" }, { name = "\"'" }, { ["a b"] = "c" }, { [""] = "c" },
      { ["a="] = "c" }, { name = {} }, { name = true }, { "first" },
    } do
      fails("metadata", errors.EINVAL, auth.create_certificates(where, "joe", metadata))
    end
    assert.equal("", helper.shell("ls -A " .. where))
  end)

  it("names the file that can't be written", function()
    fails("No such file or directory: /nowhere/joe.key_secret", errors.ENOENT,
      auth.create_certificates("/nowhere", "joe"))
    fails("Invalid argument", errors.EINVAL, auth.create_certificates(folder(), "joe\0x"))
    fails("the name of a certificate is empty", errors.EINVAL,
      auth.create_certificates(folder(), ""))
    raises("bad argument #1 to 'create_certificates' (string expected, got no value)",
      auth.create_certificates)
    raises("bad argument #2 to 'create_certificates' (string expected, got table)",
      auth.create_certificates, ".", {})
    raises("bad argument #3 to 'create_certificates' (table expected, got string)",
      auth.create_certificates, ".", "joe", "x")
  end)

  describe("that is read", function()
    local public, secret = zmq.curve_keypair()
    -- One with the characters that mean something to the format.
    local odd, odd_secret
    repeat odd, odd_secret = zmq.curve_keypair() until odd:find "#" and odd:find "="

    local function load(text)
      return auth.load_certificate(helper.write(text, ".key"))
    end

    it("may be written in many ways", function()
      for _, text in ipairs {
        'curve\n    public-key = "%s"\n    secret-key = "%s"\n',
        "curve\n    public-key = '%s'\n    secret-key = '%s'\n",
        "curve\n    public-key = %s\n    secret-key = %s\n",
        "curve\n\tpublic-key=%s\n\tsecret-key=%s",
        'curve\r\n    public-key = "%s"\r\n    secret-key = "%s"\r\n',
        '\239\187\191# text\n\n\ncurve  # keys\n  # x\n  public-key="%s" # one\n'
          .. '  secret-key  =  "%s"  # two\nother\n    public-key = "x"\n',
        'metadata\n    name = "x"\n        public-key = "deeper"\n'
          .. 'curve\n    public-key = "%s"\n    secret-key = "%s"\n',
      } do
        for _, pair in ipairs { { public, secret }, { odd, odd_secret } } do
          local first, second = load(text:format(pair[1], pair[2]))
          assert.same(pair, { first, second })
        end
      end
    end)

    it("as CZMQ and pyzmq write it", function()
      local first, second, metadata = load(([[
#   ****  Generated on 2026-01-02 by somebody else  ****
#   ZeroMQ CURVE **Secret** Certificate

metadata
    email = joe@example.org
    name = Joe Bloggs
curve
    public-key = "%s"
    secret-key = "%s"
]]):format(public, secret))
      assert.same({ public, secret }, { first, second })
      assert.same({ email = "joe@example.org", name = "Joe Bloggs" }, metadata)
    end)

    it("is refused where it is none, with the file named", function()
      local key = 'curve\n    public-key = "' .. public .. '"\n'
      for text, reason in pairs {
        [""] = "no public key in it",
        ["curve"] = "no public key in it",
        ['public-key = "' .. public .. '"'] = "no public key in it",
        ['metadata\n    public-key = "' .. public .. '"\ncurve\n'] = "no public key in it",
        ["curve\n    public-key\n"] = "no public key in it",
        ["curve\n    public-key = \n"] = "the public key is no key",
        ['curve\n    public-key = "' .. public:sub(2) .. '"\n'] = "the public key is no key",
        ['curve\n    public-key = "' .. ("~"):rep(40) .. '"\n'] = "the public key is no key",
        ['curve\n    public-key = "' .. public .. "\n"] = "the public key is no key",
        [key .. '    secret-key = ""'] = "the secret key is no key",
        [key .. '    secret-key = "' .. odd_secret .. '"'] = "don't belong together",
        [key .. '    public-key = "' .. odd .. '"'] = "public-key is there twice",
        [("\0\1\255"):rep(100)] = "no public key in it",
      } do
        local path = helper.write(text, ".key")
        fails(path .. ": ", errors.EINVAL, auth.load_certificate(path))
        fails(reason, errors.EINVAL, auth.load_certificate(path))
      end
    end)

    it("is refused where there is no file to read", function()
      fails("No such file or directory: /nowhere.key", errors.ENOENT,
        auth.load_certificate "/nowhere.key")
      fails("Is a directory", errors.EISDIR, auth.load_certificate "/")
      fails("Invalid argument", errors.EINVAL, auth.load_certificate "/dev/zero")
      local pipe = helper.path "pipe.key"
      helper.shell("mkfifo " .. pipe)
      fails("Invalid argument", errors.EINVAL, auth.load_certificate(pipe))
      fails("File too large", errors.EFBIG, load(("#"):rep(2 ^ 20 + 1)))
      fails("Invalid argument", errors.EINVAL, auth.load_certificate "a\0b")
      raises("bad argument #1 to 'load_certificate' (string expected, got no value)",
        auth.load_certificate)
    end)
  end)

  describe("directory", function()
    it("gives the public keys, each with its metadata", function()
      local where = folder()
      local expected = {}
      for _, name in ipairs { "ann", "bob", "cleo" } do
        local path = auth.create_certificates(where, name, { name = name })
        expected[auth.load_certificate(path)] = { name = name }
      end
      -- What is no public certificate is passed over.
      helper.shell("cd " .. where .. " && mkdir sub.key && echo x > readme && echo x > .hidden.key")
      assert.same(expected, auth.load_certificates(where))
    end)

    it("may be empty", function()
      assert.same({}, auth.load_certificates(folder()))
    end)

    it("is refused with the file that is no certificate named", function()
      local where = folder()
      auth.create_certificates(where, "ann")
      helper.shell("echo x > " .. where .. "/bob.key")
      fails(where .. "/bob.key: no public key in it", errors.EINVAL, auth.load_certificates(where))
      fails("No such file or directory: /nowhere", errors.ENOENT,
        auth.load_certificates "/nowhere")
      fails("Not a directory", errors.ENOTDIR, auth.load_certificates(where .. "/bob.key"))
      raises("bad argument #1 to 'load_certificates' (string expected, got number)",
        auth.load_certificates, 1)
    end)
  end)
end)
