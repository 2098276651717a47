local H = _G.H
H.load_plugin()

local function checkhealth()
  vim.cmd.checkhealth('loopls')
  return H.text(0)
end

H.test(':checkhealth finds the server, the client and the protocol', function()
  H.open(H.folder(), 'modes.loop.toml')
  local text = checkhealth()
  H.contains(text, H.server)
  H.contains(text, 'serves 1 buffers')
  H.contains(text, '`*.loop.toml` has the filetype loop-toml')
  H.contains(text, 'runs start in every folder without a question')
  H.lacks(text, 'ERROR')
end)

H.test(':checkhealth says what to do when the server is missing', function()
  local before = vim.g.loopls
  vim.g.loopls = { server = '/nowhere/loopls' }
  H.contains(checkhealth(), 'ERROR vim.g.loopls.server is not a program: /nowhere/loopls')
  vim.g.loopls = before
end)

H.test('the help has its tags, one for each command and function', function()
  local doc = H.folder('none')
  vim.uv.fs_copyfile(vim.fs.joinpath(H.plugin, 'doc/loopls.txt'), vim.fs.joinpath(doc, 'loopls.txt'))
  vim.cmd.helptags(vim.fn.fnameescape(doc))
  local tags = table.concat(vim.fn.readfile(vim.fs.joinpath(doc, 'tags')), '\n')
  for name, command in pairs(vim.api.nvim_get_commands({})) do
    if name:match('^Loop') then
      H.contains(tags, ':' .. name .. '\t')
      assert(command.definition ~= '')
    end
  end
  for name in pairs(require('loopls')) do
    H.contains(tags, ('loopls.%s()\t'):format(name))
  end
  for name in pairs(require('loopls.config').get()) do
    H.contains(tags, ('vim.g.loopls.%s\t'):format(name))
  end
end)
