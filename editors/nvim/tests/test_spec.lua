-- The tests of a definition: from the command and from the lens.
local H = _G.H
H.load_plugin()

local notes = {}
vim.notify = function(message)
  table.insert(notes, message)
end

--- Waits for the one message that tests end with.
local function wait_told()
  local told = H.wait('a message about tests', function()
    return notes[1]
  end)
  notes = {}
  return told
end

--- What is shown of what tests missed.
local function missed()
  local namespace = vim.api.nvim_get_namespaces()['loopls.tests']
  return vim.tbl_map(function(diagnostic)
    return { diagnostic.lnum + 1, diagnostic.message }
  end, vim.diagnostic.get(0, { namespace = namespace }))
end

local function open()
  notes = {}
  H.open(H.folder(), 'tests.loop.toml')
  return H.row('expect.answer = "More."') + 1
end

H.test(
  ':LoopTest runs all tests, marks what was missed where it was expected, and opens no window',
  function()
    local row = open()
    vim.cmd.LoopTest()
    local told = wait_told()
    H.contains(told, 'loopls: 1 of 2 tests passed')
    H.contains(told, 'says more: did not pass: ')
    H.eq(1, #missed())
    H.eq(row, missed()[1][1])
    H.contains(missed()[1][2], 'Fine.')
    H.eq({}, H.run_buffers())
    H.eq(1, #vim.api.nvim_tabpage_list_wins(0))
  end
)

H.test(':LoopTest takes a name, completes it, and a test that passes now has its marks gone', function()
  local row = open()
  H.eq({ 'says fine', 'says more' }, vim.fn.getcompletion('LoopTest ', 'cmdline'))
  H.eq({ 'more' }, vim.fn.getcompletion('LoopTest says m', 'cmdline'))
  vim.cmd.LoopTest('says more')
  -- It ended with an answer, but not with the expected one.
  H.contains(H.text(H.wait_run(1, 'did not pass')), '■ did not pass: ')
  H.contains(wait_told(), '0 of 1 tests passed')
  H.eq(1, #missed())
  vim.api.nvim_buf_set_lines(0, row - 1, row, false, { 'expect.answer = "Fine."' })
  vim.cmd.LoopTest('says more')
  H.contains(H.text(H.wait_run(2, 'passed')), '✓ passed · ')
  H.eq('loopls: 1 of 1 tests passed', wait_told())
  H.eq({}, missed())
end)

H.test('the lens of a test says what the command says', function()
  open()
  local lens = H.wait('the lens', function()
    return vim.iter(vim.lsp.codelens.get(0)):find(function(lens)
      return lens.command and vim.tbl_get(lens.command, 'arguments', 1, 'test') == 'says fine'
    end)
  end)
  vim.api.nvim_win_set_cursor(0, { lens.range.start.line + 1, 0 })
  vim.lsp.codelens.run()
  H.contains(H.text(H.wait_run(1, 'passed')), 'tests · says fine · scripted/tests')
  H.eq('loopls: 1 of 1 tests passed', wait_told())
end)

H.test('what cannot start says why, for each test', function()
  open()
  vim.cmd.LoopTest('nobody')
  H.contains(wait_told(), 'there is no test `nobody`')
end)

H.test('a definition without tests says so', function()
  notes = {}
  H.open(H.folder(), 'modes.loop.toml')
  H.lens(nil)
  vim.cmd.LoopTest()
  H.eq('loopls: this definition has no tests', wait_told())
end)
