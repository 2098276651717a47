local H = _G.H
H.load_plugin()

local notes = {}
vim.notify = function(message)
  table.insert(notes, message)
end

--- The text of the floating window, waited for.
local function float()
  local win = H.wait('a floating window', function()
    return vim.iter(vim.api.nvim_list_wins()):find(function(win)
      return vim.api.nvim_win_get_config(win).relative ~= ''
    end)
  end)
  return H.text(vim.api.nvim_win_get_buf(win))
end

H.test(':LoopResolve shows what the modes come to, saved or not', function()
  H.open(H.folder(), 'modes.loop.toml')
  local row = H.row('calls = 30')
  vim.api.nvim_buf_set_lines(0, row, row + 1, false, { 'calls = 31' })
  vim.cmd.LoopResolve()
  local text = float()
  H.contains(text, 'starts in     quick')
  H.contains(text, 'iterations    4  (mode, line 28)')
  H.contains(text, 'calls         31  (base, line 18)')
  H.contains(text, 'parallel      8  (default)')
end)

H.test(':LoopResolve says why there is nothing to show', function()
  H.open(H.folder(), 'faulty.loop.toml')
  vim.cmd.LoopResolve()
  H.wait('a message', function()
    return notes[1]
  end)
  H.contains(notes[1], 'loopls: ')
  H.contains(notes[1], '`calls` is -3')
end)
