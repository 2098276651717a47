local H = _G.H
H.load_plugin()

--- The text of the hover over `part`, as a person sees it.
local function hover(part)
  local row = H.row(part)
  local column = vim.api.nvim_buf_get_lines(0, row, row + 1, false)[1]:find(part, 1, true)
  vim.api.nvim_win_set_cursor(0, { row + 1, column - 1 })
  vim.lsp.buf.hover()
  local win = H.wait('a hover window', function()
    return vim.iter(vim.api.nvim_list_wins()):find(function(win)
      return vim.api.nvim_win_get_config(win).relative ~= ''
    end)
  end)
  local text = H.text(vim.api.nvim_win_get_buf(win))
  vim.api.nvim_win_close(win, true)
  return text
end

--- Fails unless one line of `text` contains all of the words.
local function has_row(text, ...)
  local words = { ... }
  local found = vim.iter(vim.split(text, '\n')):any(function(line)
    return vim.iter(words):all(function(word)
      return line:find(word, 1, true) ~= nil
    end)
  end)
  assert(found, ('no line with %s in\n%s'):format(table.concat(words, ', '), text))
end

H.test('hover on a mode shows its limits, each with its origin', function()
  H.open(H.folder(), 'modes.loop.toml')
  local text = hover('"slow"')
  has_row(text, 'iterations', '9', 'base', 'line 17')
  has_row(text, 'calls', '50', 'this mode', 'line 32')
  has_row(text, 'parallel', '2', 'this mode', 'line 32')
  has_row(text, 'result_bytes', 'default')
end)

--- What the lenses run that the server gives for the text as it is now, once they are shown.
local function shown_lenses(client)
  local params = { textDocument = { uri = vim.uri_from_bufnr(0) } }
  local response = client:request_sync('textDocument/codeLens', params, 20000, 0)
  H.wait('the lenses to be shown', function()
    return vim.deep_equal(response.result, vim.lsp.codelens.get(0))
  end)
  return vim.tbl_map(function(lens)
    return lens.command.arguments[1].mode or lens.command.command
  end, response.result)
end

H.test('hover and lens stay while the last line is half typed', function()
  local client = H.open(H.folder(), 'modes.loop.toml')
  for _, line in ipairs({ '[[to', '[[modes]]\nname = "', 'tools = [{ name =', 'x = """' }) do
    vim.api.nvim_buf_set_lines(0, -1, -1, false, vim.split(line, '\n'))
    has_row(hover('"slow"'), 'calls', '50', 'mode')
    H.eq({ 'loopls.run', 'loopls.bind', 'quick', 'slow' }, shown_lenses(client), line)
    vim.cmd.undo()
  end
end)
