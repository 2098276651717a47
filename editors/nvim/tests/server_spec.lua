-- Where the server is looked for: nothing that a folder of somebody else can put in its way.
local H = _G.H
H.load_plugin()
local server = require('loopls.server')
local notes = {}
vim.notify = function(message)
  table.insert(notes, message)
end

--- A folder with a program called loopls.
local function folder_with_server()
  local folder = H.folder()
  vim.uv.fs_symlink(H.server, vim.fs.joinpath(folder, 'loopls'))
  return folder
end

--- Finds the server for files under `folder` with this `PATH` and these settings.
local function find(path, settings, folder)
  local before = { vim.g.loopls, vim.env.PATH }
  vim.g.loopls, vim.env.PATH = settings, path
  local result = { server.find(folder) }
  vim.g.loopls, vim.env.PATH = unpack(before)
  return unpack(result)
end

H.test('it is found on PATH, by its absolute path', function()
  local folder = folder_with_server()
  H.eq(folder .. '/loopls', find('/nowhere:' .. folder, {}, H.folder()))
end)

H.test('an entry of PATH that is relative is skipped', function()
  local before = vim.fn.getcwd()
  vim.cmd.cd(folder_with_server())
  for _, path in ipairs({ '.', '', ':', 'x:./' }) do
    H.eq(nil, (find(path, {}, nil)))
  end
  vim.cmd.cd(before)
end)

H.test('an entry of PATH inside the open folder is skipped, and the message says so', function()
  local folder = folder_with_server()
  local path, reason = find(folder, {}, folder)
  H.eq(nil, path)
  H.contains(reason, 'inside the open folder')
end)

H.test('a link on PATH that leads into the open folder is skipped', function()
  local evil, outside = H.folder(), H.folder()
  local program = vim.fs.joinpath(evil, 'evil')
  vim.fn.writefile({ '#!/bin/sh' }, program)
  vim.uv.fs_chmod(program, 493)
  vim.uv.fs_symlink(program, vim.fs.joinpath(outside, 'loopls'))
  H.eq(nil, (find(outside, {}, evil)))
end)

H.test('vim.g.loopls.server is absolute and a program', function()
  H.eq(H.server, find('', { server = H.server }))
  H.contains(select(2, find('', { server = 'bin/loopls' })), 'not an absolute path')
  H.contains(select(2, find('', { server = '/nowhere/loopls' })), 'not a program')
end)

H.test('without a server, opening two definitions says so and starts nothing', function()
  local before = vim.g.loopls
  vim.g.loopls = { server = '/nowhere/loopls' }
  local folder = H.folder()
  vim.cmd.edit(vim.fs.joinpath(folder, 'modes.loop.toml'))
  vim.cmd.edit(vim.fs.joinpath(folder, 'waits.loop.toml'))
  H.eq({ 'loopls: vim.g.loopls.server is not a program: /nowhere/loopls' }, notes)
  H.eq(0, #vim.lsp.get_clients())
  vim.g.loopls = before
end)
