-- A Neovim without the plugin: the server's standard parts are enough to run a loop from its lens.
local H = _G.H

--- Attaches the server to a file as a person without the plugin does.
local function open(folder, name)
  vim.cmd.edit(vim.fn.fnameescape(vim.fs.joinpath(folder, name)))
  local id = vim.lsp.start({
    name = 'loopls',
    cmd = { H.server, 'lsp' },
    root_dir = folder,
    init_options = { trust = 'trusted' },
  })
  local client = assert(vim.lsp.get_client_by_id(id))
  H.wait('the server to start', function()
    return client.initialized
  end)
  vim.lsp.codelens.refresh({ bufnr = 0 })
  return client
end

H.test('no part of the plugin is there', function()
  H.eq(nil, vim.lsp.config.loopls)
  H.eq(nil, vim.api.nvim_get_commands({}).LoopRun)
end)

H.test('the lens runs: progress while it goes on, a message and the transcript at the end', function()
  local messages, kinds = {}, {}
  vim.lsp.handlers['window/showMessage'] = function(_, params)
    table.insert(messages, params.message)
  end
  vim.api.nvim_create_autocmd('LspProgress', {
    callback = function(event)
      table.insert(kinds, event.data.params.value.kind)
    end,
  })
  local folder = H.folder()
  open(folder, 'waits.loop.toml')
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
