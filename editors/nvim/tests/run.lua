-- Runs the specs in real editors, one Neovim for each spec file:
--
--   LOOPLS=/path/of/loopls nvim -n -i NONE --clean --headless -l editors/nvim/tests/run.lua [PART OF A SPEC'S NAME]
--
-- Prints one line a test and, last, `N passed, N failed`; exit status 1 when a test failed.
local here = vim.fs.dirname(vim.fs.abspath(arg[0]))
local wanted = arg[1] or ''

local server = vim.fs.abspath(vim.env.LOOPLS or vim.fs.joinpath(here, '../../../target/debug/loopls'))
if vim.fn.executable(server) == 0 then
  io.stderr:write(('no server at %s; build it with cargo build, or set LOOPLS\n'):format(server))
  os.exit(1)
end

--- Runs one spec file in a Neovim that sees no file of this person.
---@return integer passed
---@return integer failed
local function run_spec(path)
  local home = vim.fn.tempname()
  vim.fn.mkdir(home, 'p')
  local environment = { LOOPLS = server, HOME = home }
  for _, kind in ipairs({ 'CONFIG', 'DATA', 'STATE', 'CACHE' }) do
    environment['XDG_' .. kind .. '_HOME'] = vim.fs.joinpath(home, kind:lower())
  end
  local harness = vim.fs.joinpath(here, 'harness.lua')
  local report = vim.fs.joinpath(home, 'report')
  local command = { vim.v.progpath, '-n', '-i', 'NONE', '--clean', '--headless', '-l', harness, path, report }
  -- The time is a bound for a Neovim that hangs, not a measure.
  local result = vim.system(command, { env = environment, text = true, timeout = 300000 }):wait()
  local file = io.open(report)
  local lines = file and file:read('*a') or ''
  if file then
    file:close()
  end
  vim.fn.delete(home, 'rf')
  io.stdout:write(lines)
  local passed, failed = lines:match('(%d+) passed, (%d+) failed%s*$')
  if not passed then
    local name = vim.fs.basename(path)
    io.stdout:write(('FAILED %s: no summary, exit code %d\n%s\n'):format(name, result.code, result.stderr))
    return 0, 1
  end
  return tonumber(passed), tonumber(failed)
end

local names = {}
for name in vim.fs.dir(here) do
  if name:match('_spec%.lua$') and name:find(wanted, 1, true) then
    table.insert(names, name)
  end
end
table.sort(names)

local passed, failed = 0, 0
for _, name in ipairs(names) do
  io.stdout:write(('# %s\n'):format(name))
  local good, bad = run_spec(vim.fs.joinpath(here, name))
  passed, failed = passed + good, failed + bad
end
io.stdout:write(('%d passed, %d failed\n'):format(passed, failed))
os.exit((failed == 0 and passed > 0) and 0 or 1)
