-- Runs one spec file and reports: harness.lua SPEC REPORT.
dofile(vim.fs.joinpath(vim.fs.dirname(arg[0]), 'support.lua'))
local H = _G.H

local tests = {}

--- Names a test. They run in the order of the file.
function H.test(name, body)
  table.insert(tests, { name = name, body = body })
end

--- Leaves nothing of a test behind: no run, no window, no buffer, no server.
local function reset()
  for _, client in ipairs(vim.lsp.get_clients()) do
    client:stop()
  end
  H.wait('the servers to end', function()
    return #vim.lsp.get_clients() == 0
  end)
  vim.cmd('silent! only!')
  vim.cmd.enew({ bang = true })
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if buf ~= vim.api.nvim_get_current_buf() then
      vim.api.nvim_buf_delete(buf, { force = true })
    end
  end
end

-- Not to standard output or error, where Neovim's own messages go.
local report = assert(io.open(arg[2], 'w'))
dofile(arg[1])
local passed, failed = 0, 0
for _, case in ipairs(tests) do
  local ok, message = xpcall(case.body, debug.traceback)
  local clean, left = xpcall(reset, debug.traceback)
  if ok and clean then
    passed = passed + 1
    report:write(('ok     %s\n'):format(case.name))
  else
    failed = failed + 1
    report:write(('FAILED %s\n%s\n'):format(case.name, ok and left or message))
  end
end
report:write(('%d passed, %d failed\n'):format(passed, failed))
report:close()
os.exit(0)
