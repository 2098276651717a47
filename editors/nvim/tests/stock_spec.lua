-- A Neovim without the plugin: the standard parts of the server are enough to run a loop from its lens.
local H = _G.H

vim.cmd('filetype on')
vim.env.PATH = vim.fs.dirname(H.server) .. ':' .. vim.env.PATH
-- What the page about Neovim tells those who do without the plugin.
local page = table.concat(vim.fn.readfile(vim.fs.joinpath(H.plugin, '../../docs/neovim.md')), '\n')
local setup = page:match('\n## Without the plugin\n.-```lua\n(.-)```')
assert(loadstring(setup))()

H.test('no part of the plugin is there', function()
  H.eq(0, #vim.api.nvim_get_runtime_file('lua/loopls/init.lua', true))
  H.eq(nil, vim.api.nvim_get_commands({}).LoopRun)
end)

H.test('the lens runs: progress while it goes on, a message and the transcript at the end', function()
  local messages, kinds = {}, {}
  vim.ui.select = function(items, _, choose)
    choose(vim.iter(items):find(function(item)
      return item.title == 'Once'
    end))
  end
  vim.lsp.handlers['window/showMessage'] = function(_, params)
    table.insert(messages, params.message)
  end
  vim.api.nvim_create_autocmd('LspProgress', {
    callback = function(event)
      table.insert(kinds, event.data.params.value.kind)
    end,
  })
  local folder = H.folder()
  H.open(folder, 'waits.loop.toml')
  H.run_lens('right')
  H.wait('progress', function()
    return kinds[1] == 'begin'
  end)
  H.eq({}, messages)
  H.touch(folder, 'right.go')
  H.wait('the message at the end', function()
    return #messages > 0
  end)
  H.eq(1, #messages)
  H.contains(messages[1], 'answer')
  H.contains(messages[1], 'right answers')
  H.wait('the end of progress', function()
    return kinds[#kinds] == 'end'
  end)
  H.wait('the transcript', function()
    return vim.iter(vim.api.nvim_list_bufs()):any(function(buf)
      local text = vim.api.nvim_buf_is_loaded(buf) and H.text(buf) or ''
      return text:find('right goes on', 1, true) and text:find('right answers', 1, true)
    end)
  end)
end)
