-- Typing in a Neovim of its own: the menu, and what choosing an entry of it writes.
local H = _G.H

--- Writes a definition and opens it, with the cursor at the end of its last line.
local function open(text, options)
  local path = vim.fs.joinpath(H.folder('none'), 'new.loop.toml')
  vim.fn.writefile(vim.split(text, '\n'), path)
  local child = H.child(path, options)
  child:type('G$')
  return child
end

H.test('an empty file offers the keys of the format, and one is chosen from the menu', function()
  local child = open('')
  child:type('ides<C-x><C-o>')
  child:wait_menu({ 'description' })
  child:type('<C-y>')
  child:wait_text('description = "|"')
  child:stop()
end)

H.test('what is chosen between quotes leaves one pair of them', function()
  local child = open('[model]\nprovider = ""')
  child:type('i<C-x><C-o>')
  child:wait_menu('anthropic')
  child:type('<C-e>scr<C-x><C-o>')
  child:wait_menu({ 'scripted' })
  child:type('<C-y>')
  child:wait_text('[model]\nprovider = "scripted|"')
  child:stop()
end)

H.test('the menu opens by itself when that is asked for', function()
  local child = open('[model]\nprovider =', { autocomplete = true })
  child:type('A "')
  child:wait_menu('scripted')
  child:stop()
end)
