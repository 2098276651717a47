-- What specs are written with, as the global `H`.
local here = vim.fs.dirname(vim.fs.abspath(debug.getinfo(1, 'S').source:sub(2)))
local plugin = vim.fs.dirname(here)

local H = {
  support = vim.fs.joinpath(here, 'support.lua'),
  fixtures = vim.fs.joinpath(here, 'fixtures'),
  examples = vim.fs.normalize(vim.fs.joinpath(plugin, '../../examples')),
  server = vim.env.LOOPLS,
  plugin = plugin,
}
_G.H = H

--- Fails unless both are equal, with both in the message.
function H.eq(expected, actual, what)
  if not vim.deep_equal(expected, actual) then
    local message = '%s\n  expected: %s\n  actual:   %s'
    error(message:format(what or 'not equal', vim.inspect(expected), vim.inspect(actual)), 2)
  end
end

--- Fails unless `text` contains `part`, taken literally.
function H.contains(text, part)
  if not text:find(part, 1, true) then
    error(('not in the text: %s\n%s'):format(part, text), 2)
  end
end

--- Fails if `text` contains `part`, taken literally.
function H.lacks(text, part)
  if text:find(part, 1, true) then
    error(('in the text: %s\n%s'):format(part, text), 2)
  end
end

--- Waits for `condition` and returns what it came to. 20 s is a bound for a machine under load.
function H.wait(what, condition)
  local value
  local came = vim.wait(20000, function()
    value = condition()
    return value
  end, 10)
  if not came then
    error('waited in vain: ' .. what, 2)
  end
  return value
end

--- Loads the plugin as a package manager would; `-l` loads no plugin by itself.
---@param options? table `vim.g.loopls`
function H.load_plugin(options)
  vim.g.loopls = vim.tbl_extend('force', { server = H.server, trust = 'trusted' }, options or {})
  vim.opt.runtimepath:prepend(plugin)
  vim.cmd('filetype plugin on | syntax on')
  vim.cmd.runtime({ 'ftdetect/loop-toml.lua', 'plugin/loopls.lua', bang = true })
end

--- A folder of this test's own with copies of the named fixtures, or of all.
---@return string path without symlinks
function H.folder(...)
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder, 'p')
  local names = { ... }
  for name in vim.fs.dir(H.fixtures) do
    if #names == 0 or vim.list_contains(names, name) then
      vim.uv.fs_copyfile(vim.fs.joinpath(H.fixtures, name), vim.fs.joinpath(folder, name))
    end
  end
  return assert(vim.uv.fs_realpath(folder))
end

--- Writes an empty file: what a tool of the fixtures waits for.
function H.touch(...)
  assert(io.open(vim.fs.joinpath(...), 'w')):close()
end

--- Opens a file and waits for the server.
---@return vim.lsp.Client
function H.open(...)
  vim.cmd.edit(vim.fn.fnameescape(vim.fs.joinpath(...)))
  local buf = vim.api.nvim_get_current_buf()
  return H.wait('the server to attach', function()
    local client = vim.lsp.get_clients({ bufnr = buf, name = 'loopls' })[1]
    return client and client.initialized and client
  end)
end

--- Another Neovim, for what only typing shows: a script sees no menu and no step of a snippet.
---@class H.Child
---@field private channel integer
local Child = {}
Child.__index = Child

--- Starts it with this plugin and opens a file.
---@param path string
---@param options? table `vim.g.loopls`
---@return H.Child
function H.child(path, options)
  local command = { vim.v.progpath, '-n', '-i', 'NONE', '--clean', '--embed', '--headless' }
  local child = setmetatable({ channel = vim.fn.jobstart(command, { rpc = true }) }, Child)
  child:lua(
    [[
      local support, path, options = ...
      dofile(support)
      _G.H.load_plugin(options)
      _G.H.open(path)
    ]],
    H.support,
    path,
    options
  )
  return child
end

--- Runs Lua there and returns what it returns.
function Child:lua(code, ...)
  return vim.rpcrequest(self.channel, 'nvim_exec_lua', code, { ... })
end

--- Types as a person does.
function Child:type(keys)
  vim.rpcrequest(self.channel, 'nvim_input', keys)
end

--- Waits until the buffer has this text; `|` stands for the cursor.
function Child:wait_text(expected)
  local text
  local came = vim.wait(20000, function()
    text = self:lua([[
      local row, column = unpack(vim.api.nvim_win_get_cursor(0))
      local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
      lines[row] = lines[row]:sub(1, column) .. '|' .. lines[row]:sub(column + 1)
      return table.concat(lines, '\n')
    ]])
    return text == expected
  end, 10)
  if not came then
    error(('the text is not\n%s\nbut\n%s'):format(expected, text), 2)
  end
end

--- Waits for a menu: one with this entry among others, or one of exactly these.
---@param expected string|string[]
function Child:wait_menu(expected)
  local entries
  local came = vim.wait(20000, function()
    entries = self:lua([[
      return vim.tbl_map(function(item) return item.abbr end, vim.fn.complete_info({ 'items' }).items)
    ]])
    if type(expected) == 'string' then
      return vim.list_contains(entries, expected)
    end
    return vim.deep_equal(entries, expected)
  end, 10)
  if not came then
    error(('the menu has not %s but %s'):format(vim.inspect(expected), vim.inspect(entries)), 2)
  end
end

function Child:stop()
  vim.fn.jobstop(self.channel)
  vim.fn.jobwait({ self.channel })
end

--- The text of a buffer.
function H.text(buf)
  return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
end

--- The zero-based row of the first line that contains `part`.
function H.row(part, buf)
  for index, line in ipairs(vim.api.nvim_buf_get_lines(buf or 0, 0, -1, false)) do
    if line:find(part, 1, true) then
      return index - 1
    end
  end
  error('no line contains ' .. part, 2)
end

--- The lens that runs `mode`, waited for.
function H.lens(mode)
  return H.wait('the lens of ' .. (mode or 'the loop'), function()
    return vim.iter(vim.lsp.codelens.get(0)):find(function(lens)
      local command = lens.command
      return command and command.command == 'loopls.run' and command.arguments[1].mode == mode
    end)
  end)
end

--- Puts the cursor on the lens that runs `mode` and runs it as a person would.
function H.run_lens(mode)
  local lens = H.lens(mode)
  vim.api.nvim_win_set_cursor(0, { lens.range.start.line + 1, 0 })
  local select = vim.ui.select
  -- Several lenses may stand on the line; Neovim then asks which.
  vim.ui.select = function(items, _, choose)
    choose(vim.iter(items):find(function(item)
      return item.lens == lens
    end))
  end
  vim.lsp.codelens.run()
  vim.ui.select = select
end

--- The buffers of all runs, the oldest first.
function H.run_buffers()
  local buffers = vim.tbl_filter(function(buf)
    return vim.bo[buf].filetype == 'loopls-run'
  end, vim.api.nvim_list_bufs())
  table.sort(buffers)
  return buffers
end

--- Waits until the `number`th run has a buffer that contains `part`.
---@return integer buf
function H.wait_run(number, part)
  local buf
  local came = vim.wait(20000, function()
    buf = H.run_buffers()[number]
    return buf and H.text(buf):find(part, 1, true) ~= nil
  end, 10)
  if not came then
    error(('run %d does not show: %s\n%s'):format(number, part, buf and H.text(buf) or 'no buffer'), 2)
  end
  return buf
end

--- The output of `ps` about a process, or what Linux says of it where there is no `ps`.
local function told_of(pid, column, file)
  local found = io.open(('/proc/%d/%s'):format(pid, file))
  if found then
    local text = found:read('*a') or ''
    found:close()
    return text
  end
  if vim.fn.executable('ps') == 1 then
    return vim.fn.system({ 'ps', '-o', column, '-p', tostring(pid) })
  end
  return ''
end

--- Whether a process of this id runs. One that ended and waits to be reaped does not.
function H.is_running(pid)
  if vim.uv.kill(pid, 0) ~= 0 then
    return false
  end
  local text = told_of(pid, 'stat=', 'stat')
  local state = text:match('%) (%a)') or text:match('%a')
  return state ~= nil and state ~= 'Z'
end

--- The process id of the server that this Neovim started.
function H.server_pid()
  return vim.iter(vim.api.nvim_get_proc_children(vim.fn.getpid())):find(function(pid)
    return told_of(pid, 'args=', 'cmdline'):find(H.server, 1, true) ~= nil
  end)
end
