local H = _G.H
H.load_plugin()

--- Opens the definition with one misspelt key and waits until it is marked.
local function open_typo()
  local folder = H.folder()
  H.open(folder, 'typo.loop.toml')
  H.wait('a diagnostic', function()
    return #vim.diagnostic.get(0) == 1
  end)
  vim.api.nvim_win_set_cursor(0, { H.row('promt') + 1, 0 })
  return folder
end

--- Applies the only code action under the cursor that `filter` lets through.
local function apply(filter)
  vim.lsp.buf.code_action({ filter = filter, apply = true })
end

H.test('the quick fix writes the key that was meant, and the mark goes', function()
  open_typo()
  apply(function(action)
    return action.title == 'Change to `prompt`'
  end)
  H.wait('the fix', function()
    return H.text(0):find('\nprompt = "How late is it?"', 1, true)
  end)
  H.wait('the diagnostic to go', function()
    return #vim.diagnostic.get(0) == 0
  end)
  vim.cmd.undo()
  H.contains(H.text(0), '\npromt = ')
end)

H.test('a code action runs the loop, in the window of a run', function()
  open_typo()
  vim.cmd.substitute('/promt/prompt/')
  apply(function(action)
    return action.title == 'Run loop'
  end)
  H.contains(H.text(H.wait_run(1, '✓ answered')), 'Late enough.')
end)

H.test('the page of a code opens beside the definition', function()
  open_typo()
  apply(function(action)
    return action.title == 'Explain unknown_key'
  end)
  local page = H.wait('the page', function()
    return vim.iter(vim.api.nvim_list_bufs()):find(function(buf)
      return vim.api.nvim_buf_is_loaded(buf) and H.text(buf):find('The format has no such key', 1, true)
    end)
  end)
  H.eq(1, #vim.fn.win_findbuf(page))
end)
