local H = _G.H
H.load_plugin()

--- Waits for `count` diagnostics and returns each as its code and the text that it marks.
local function marked(count)
  H.wait(count .. ' diagnostics', function()
    return #vim.diagnostic.get(0) == count
  end)
  local found = vim.diagnostic.get(0)
  table.sort(found, function(a, b)
    return a.lnum < b.lnum or (a.lnum == b.lnum and a.col < b.col)
  end)
  return vim.tbl_map(function(diagnostic)
    local text = vim.api.nvim_buf_get_text(
      0,
      diagnostic.lnum,
      diagnostic.col,
      diagnostic.end_lnum,
      diagnostic.end_col,
      {}
    )
    return { diagnostic.code, diagnostic.lnum, table.concat(text, '\n') }
  end, found)
end

H.test('a negative limit is marked at the value, a duplicate name at the later one', function()
  H.open(H.folder(), 'faulty.loop.toml')
  H.eq({
    { 'invalid_tool_limits', 7, '-3' },
    { 'duplicate_definition_name', 16, '"find"' },
  }, marked(2))
end)

H.test('what is put right is no longer marked', function()
  H.open(H.folder(), 'faulty.loop.toml')
  marked(2)
  vim.api.nvim_buf_set_lines(0, 7, 8, false, { 'calls = 3' })
  H.eq({ { 'duplicate_definition_name', 16, '"find"' } }, marked(1))
  vim.api.nvim_buf_set_lines(0, 16, 17, false, { 'name = "find_other"' })
  H.eq({}, marked(0))
end)

H.test('a range counts characters that are not ASCII', function()
  H.open(H.folder(), 'faulty.loop.toml')
  vim.api.nvim_buf_set_lines(0, 6, 8, false, {})
  vim.api.nvim_buf_set_lines(0, 1, 2, false, { 'limits = { "é🙂" = 1, calls = -3 }' })
  H.eq({
    { 'unknown_key', 1, '"é🙂"' },
    { 'invalid_tool_limits', 1, '-3' },
    { 'duplicate_definition_name', 14, '"find"' },
  }, marked(3))
end)

H.test('a stock client is pushed to, once: no diagnostic comes twice', function()
  local client = H.open(H.folder(), 'faulty.loop.toml')
  marked(2)
  H.eq(nil, client.server_capabilities.diagnosticProvider)
end)
