-- What a person is asked: whether a folder is trusted, and whether a call that writes may run.
local H = _G.H
H.load_plugin()

--- The questions that came, and what is answered to each: a title, or nil for none.
local asked, answers = {}, {}
vim.ui.select = function(items, options, choose)
  local titles = vim.tbl_map(function(item)
    return item.title
  end, items)
  table.insert(asked, { prompt = options.prompt, titles = titles })
  local title = table.remove(answers, 1)
  choose(vim.iter(items):find(function(item)
    return item.title == title
  end))
end

local notes = {}
vim.notify = function(message)
  table.insert(notes, message)
end

--- Opens a fixture and runs it; `trust` is what the person's configuration says of it.
local function run(name, trust, said)
  asked, notes, answers = {}, {}, said
  vim.g.loopls = { server = H.server, trust = trust }
  local folder = H.folder()
  H.open(folder, name)
  vim.cmd.LoopRun()
  return folder
end

H.test('a folder that nothing was said of is asked about, and No runs nothing', function()
  run('writes.loop.toml', nil, { 'No' })
  H.wait('the end', function()
    return notes[1]
  end)
  H.eq('loopls: nothing was run: this folder is not trusted', notes[1])
  H.eq(1, #asked)
  H.contains(asked[1].prompt, '`tee`')
end)

H.test('what is restricted does not ask and runs nothing', function()
  run('writes.loop.toml', 'restricted', {})
  H.wait('the end', function()
    return notes[1]
  end)
  H.eq({}, asked)
end)

H.test('a folder is asked about once when it is trusted', function()
  local folder = run('writes.loop.toml', nil, { 'Trust this folder', 'Deny', 'Deny' })
  H.wait_run(1, 'answered')
  H.eq({ 'Once', 'Trust this folder', 'No' }, asked[1].titles)
  vim.cmd.LoopRun()
  H.wait_run(2, 'answered')
  H.eq(3, #asked)
  H.eq(nil, vim.uv.fs_stat(folder .. '/written'))
end)

H.test('a call that writes is asked about, Deny first, and no answer is Deny', function()
  local folder = run('writes.loop.toml', 'trusted', {})
  local text = H.text(H.wait_run(1, 'answered'))
  H.eq('Deny', asked[1].titles[1])
  H.contains(asked[1].prompt, 'tee')
  H.contains(text, 'denied by person')
  H.contains(text, '✗ 1 write')
  H.eq(nil, vim.uv.fs_stat(folder .. '/written'))
end)

H.test('a call that is allowed runs', function()
  local folder = run('writes.loop.toml', 'trusted', { 'Allow once' })
  H.contains(H.text(H.wait_run(1, 'answered')), '✓ 1 write')
  H.eq({ 'a text' }, vim.fn.readfile(folder .. '/written'))
end)
