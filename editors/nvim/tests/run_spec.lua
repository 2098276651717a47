local H = _G.H
H.load_plugin()

local notes = {}
vim.notify = function(message)
  table.insert(notes, message)
end

--- The window that shows `buf`.
local function window_of(buf)
  return (assert(vim.fn.win_findbuf(buf)[1], 'no window shows the run'))
end

--- Waits until nothing runs.
local function wait_idle()
  H.wait('the runs to end', function()
    return #require('loopls.run').active() == 0
  end)
end

H.test('a lens runs its own mode, and the run streams into a window that does not take the focus', function()
  local folder = H.folder()
  H.open(folder, 'waits.loop.toml')
  local before = vim.api.nvim_get_current_win()
  H.run_lens('right')
  local buf = H.wait_run(1, 'right waits')
  local text = H.text(buf)
  H.contains(text, 'waits · right · scripted/right')
  H.contains(text, '> Go.')
  H.contains(text, 'right begins')
  H.contains(text, '… 1 wait_right')
  H.lacks(text, 'right answers')
  H.eq(before, vim.api.nvim_get_current_win())
  local win = window_of(buf)
  H.touch(folder, 'right.go')
  H.wait_run(1, '✓ answered · 1/25 iterations · 1/100 calls')
  H.contains(H.text(buf), '✓ 1 wait_right')
  H.contains(H.text(buf), '  │ right goes on')
  H.contains(H.text(buf), 'right answers')
  H.eq(before, vim.api.nvim_get_current_win())
  H.eq(vim.api.nvim_buf_line_count(buf), vim.api.nvim_win_get_cursor(win)[1], 'the window follows')
  H.contains(vim.b[buf].loopls_status, 'waits [right] · answered')
end)

H.test('a lens runs its own mode after lines were inserted above it', function()
  local folder = H.folder()
  H.touch(folder, 'left.go')
  H.open(folder, 'waits.loop.toml')
  local row = H.lens('left').range.start.line
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# one', '# two', '# three' })
  H.wait('the lens to move', function()
    return H.lens('left').range.start.line == row + 3
  end)
  H.run_lens('left')
  H.contains(H.text(H.wait_run(1, 'answered')), 'left answers')
end)

H.test('what is shown is run, saved or not', function()
  H.open(H.folder(), 'modes.loop.toml')
  local row = H.row('Fine, I hear.')
  vim.api.nvim_buf_set_lines(0, row, row + 1, false, { 'text = "Not saved yet."' })
  require('loopls').run()
  H.contains(H.text(H.wait_run(1, 'answered')), 'Not saved yet.')
end)

H.test(':LoopRun takes a mode, completes it, and without one starts in the initial mode', function()
  H.open(H.folder(), 'modes.loop.toml')
  H.eq({ 'quick', 'slow' }, vim.fn.getcompletion('LoopRun ', 'cmdline'))
  vim.cmd.LoopRun('slow')
  H.contains(H.text(H.wait_run(1, 'answered')), 'modes · slow · scripted/modes')
  vim.cmd.LoopRun()
  H.contains(H.text(H.wait_run(2, 'answered')), 'modes · quick · scripted/modes')
end)

H.test('a next run takes the window of one that is over', function()
  H.open(H.folder(), 'modes.loop.toml')
  vim.cmd.LoopRun()
  local win = window_of(H.wait_run(1, 'answered'))
  vim.cmd.LoopRun()
  H.eq(win, window_of(H.wait_run(2, 'answered')))
  H.eq(2, #vim.api.nvim_tabpage_list_wins(0))
end)

H.test('two runs at once keep apart, each in a window of its own', function()
  local folder = H.folder()
  H.open(folder, 'waits.loop.toml')
  vim.cmd.LoopRun('left')
  local left = H.wait_run(1, 'left waits')
  vim.cmd.LoopRun('right')
  local right = H.wait_run(2, 'right waits')
  H.touch(folder, 'right.go')
  H.wait_run(2, 'answered')
  H.lacks(H.text(left), 'answered')
  H.touch(folder, 'left.go')
  H.wait_run(1, 'answered')
  H.lacks(H.text(left), 'right')
  H.lacks(H.text(right), 'left')
  assert(window_of(left) ~= window_of(right), 'both runs are in one window')
end)

--- Starts the run that sleeps and returns the ids of its two processes.
local function start_sleeping()
  H.open(H.folder(), 'sleeps.loop.toml')
  vim.cmd.LoopRun()
  local first, second = H.text(H.wait_run(1, '│ pids ')):match('pids (%d+) (%d+)')
  local pids = { tonumber(first), tonumber(second) }
  H.eq({ true, true }, vim.tbl_map(H.is_running, pids))
  return pids
end

local function wait_gone(pids)
  H.wait('both processes to end', function()
    return not H.is_running(pids[1]) and not H.is_running(pids[2])
  end)
end

H.test(':LoopStop ends a tool that sleeps and the sleep it sent to the background', function()
  local pids = start_sleeping()
  vim.cmd.LoopStop()
  local buf = H.wait_run(1, '■ cancelled')
  H.contains(H.text(buf), '✗ 1 sleep')
  H.lacks(H.text(buf), 'Good morning')
  wait_gone(pids)
end)

H.test('a server that is killed leaves no process, and its run says that it failed', function()
  local pids = start_sleeping()
  vim.uv.kill(H.server_pid(), 'sigkill')
  H.wait_run(1, '■ failed: the server ended')
  wait_gone(pids)
  -- Opening the file again starts it anew.
  H.open(vim.api.nvim_buf_get_name(0))
  H.lens(nil)
end)

H.test('a Neovim that is killed leaves no process', function()
  local folder = H.folder()
  local script = [[
    dofile(vim.env.SUPPORT)
    _G.H.load_plugin()
    _G.H.open(vim.env.FOLDER, 'sleeps.loop.toml')
    vim.cmd.LoopRun()
    local text = _G.H.text(_G.H.wait_run(1, '│ pids '))
    local pids = { text:match('pids (%d+) (%d+)') }
    vim.fn.writefile({ pids[1], pids[2], tostring(_G.H.server_pid()) }, vim.env.FOLDER .. '/pids')
    vim.wait(600000, function() return false end)
  ]]
  vim.fn.writefile(vim.split(script, '\n'), folder .. '/script.lua')
  local command =
    { vim.v.progpath, '-n', '-i', 'NONE', '--clean', '--headless', '-l', folder .. '/script.lua' }
  local other = vim.system(command, { env = { SUPPORT = H.support, FOLDER = folder } })
  H.wait('the other Neovim to run', function()
    return vim.uv.fs_stat(folder .. '/pids') and #vim.fn.readfile(folder .. '/pids') == 3
  end)
  local pids = vim.tbl_map(tonumber, vim.fn.readfile(folder .. '/pids'))
  H.eq({ true, true, true }, vim.tbl_map(H.is_running, pids))
  other:kill('sigkill')
  H.wait('the server and both sleeps to end', function()
    return not vim.iter(pids):any(H.is_running)
  end)
end)

H.test(':LoopStop stops what its buffer shows; with several runs elsewhere it asks which', function()
  local folder = H.folder()
  H.open(folder, 'waits.loop.toml')
  vim.cmd.LoopRun('left')
  local left = H.wait_run(1, 'left waits')
  vim.cmd.LoopRun('right')
  H.wait_run(2, 'right waits')
  notes = {}
  vim.cmd.enew()
  vim.cmd.LoopStop()
  H.contains(notes[1], 'several runs go on')
  vim.api.nvim_set_current_win(window_of(left))
  vim.cmd.LoopStop()
  H.wait_run(1, '■ cancelled')
  H.eq(1, #require('loopls.run').active())
  vim.cmd('LoopStop!')
  H.wait_run(2, '■ cancelled')
  vim.cmd.LoopStop()
  H.eq('loopls: nothing runs', notes[2])
end)

H.test('a definition with an error does not run, and says why', function()
  notes = {}
  H.open(H.folder(), 'faulty.loop.toml')
  vim.cmd.LoopRun()
  H.wait('a message', function()
    return notes[1]
  end)
  H.contains(notes[1], 'loopls: nothing was run: ')
  H.eq({}, H.run_buffers())
end)

H.test('a definition without a prompt asks for one', function()
  H.open(H.folder(), 'modes.loop.toml')
  local row = H.row('prompt =')
  vim.api.nvim_buf_set_lines(0, row, row + 1, false, {})
  local input = vim.ui.input
  vim.ui.input = function(_, answer)
    answer('Are you well?')
  end
  vim.cmd.LoopRun()
  H.wait('a run', function()
    return H.run_buffers()[1] and H.text(H.run_buffers()[1]):find('answered', 1, true)
  end)
  vim.ui.input = input
  H.contains(H.text(H.run_buffers()[1]), '> Are you well?')
end)

H.test('a run whose buffer was wiped goes on and can be stopped', function()
  H.open(H.folder(), 'waits.loop.toml')
  vim.cmd.LoopRun('left')
  vim.api.nvim_buf_delete(H.wait_run(1, 'left waits'), { force = true })
  vim.cmd.LoopStop()
  wait_idle()
end)
