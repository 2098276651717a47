-- Finding one's way in a definition, with Neovim's own keys and functions.
local H = _G.H
H.load_plugin()

--- Opens the order desk with the cursor on the first `part` of the first line that contains `line`.
local function open_at(line, part)
  H.open(H.examples, 'order-desk.loop.toml')
  local row = H.row(line)
  local column = vim.api.nvim_buf_get_lines(0, row, row + 1, false)[1]:find(part, 1, true)
  vim.api.nvim_win_set_cursor(0, { row + 1, column - 1 })
end

--- The items that a function of `vim.lsp.buf` lists, each as the text that a list of it shows.
local function listed(ask)
  local items
  ask({
    on_list = function(list)
      items = list.items
    end,
  })
  return vim.tbl_map(
    function(item)
      return item.text
    end,
    H.wait('a list', function()
      return items
    end)
  )
end

--- Fails unless one of `texts` contains `part`.
local function has(texts, part)
  H.contains(table.concat(texts, '\n'), part)
end

H.test('the definition of a tool that a mode lists is its entry', function()
  open_at('tools = ["find_order", "track_parcel"]', 'find_order')
  vim.lsp.buf.definition()
  local row = H.row('name = "find_order"')
  H.wait('the jump', function()
    return vim.api.nvim_win_get_cursor(0)[1] == row + 1
  end)
end)

H.test('the references of a tool are where modes, scripts and tests name it', function()
  open_at('name = "find_order"', 'find_order')
  local texts = listed(function(options)
    vim.lsp.buf.references(nil, options)
  end)
  has(texts, 'tools = ["find_order", "track_parcel"]')
  has(texts, '{ tool = "find_order", input = { id = 1042 } }')
  has(texts, '{ tool = "find_order", contains = "due: 2026-03-06" }')
end)

H.test('a tool that is renamed has its new name everywhere, and one undo takes it back', function()
  open_at('name = "find_order"', 'find_order')
  vim.lsp.buf.rename('look_up_order')
  H.wait('the new name', function()
    return H.text(0):find('name = "look_up_order"', 1, true)
  end)
  H.contains(H.text(0), 'tools = ["look_up_order", "track_parcel"]')
  H.contains(H.text(0), '{ tool = "look_up_order", contains = "due: 2026-03-06" }')
  H.lacks(H.text(0), '"find_order"')
  vim.cmd.undo()
  H.lacks(H.text(0), 'look_up_order')
end)

H.test('the outline has tools, modes and tests', function()
  open_at('name = "find_order"', 'find_order')
  local texts = listed(vim.lsp.buf.document_symbol)
  has(texts, 'track_parcel')
  has(texts, 'refund')
  has(texts, 'books the delivery fee of a late parcel')
end)

H.test('formatting keeps comments and moves nothing', function()
  open_at('parallel = 4', 'parallel')
  local before = H.text(0)
  vim.cmd.substitute('/ = /=/')
  H.contains(H.text(0), 'parallel=4')
  vim.lsp.buf.format()
  H.eq(before, H.text(0))
end)

H.test('behind a mode stands what its limits come to, unless that is turned off', function()
  local function hints()
    return vim.tbl_map(function(found)
      local label = found.inlay_hint.label
      return type(label) == 'string' and label or label[1].value
    end, vim.lsp.inlay_hint.get({ bufnr = 0 }))
  end
  open_at('name = "lookup"', 'lookup')
  H.wait('a hint for each mode', function()
    return #hints() == 2
  end)
  H.contains(hints()[1], '6 calls')
  H.contains(hints()[2], '8 calls')
  local before = vim.g.loopls
  vim.g.loopls = vim.tbl_extend('force', before, { inlay_hints = false })
  H.open(H.folder(), 'modes.loop.toml')
  H.eq(false, vim.lsp.inlay_hint.is_enabled({ bufnr = 0 }))
  vim.g.loopls = before
end)

H.test('names have colours of their own', function()
  open_at('tools = ["find_order", "track_parcel"]', 'find_order')
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  H.wait('the colours', function()
    return #(vim.lsp.semantic_tokens.get_at_pos(0, row - 1, column) or {}) > 0
  end)
end)
