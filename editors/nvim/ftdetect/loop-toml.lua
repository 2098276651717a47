-- The longer suffix wins over `*.toml`, so that TOML servers stay away from these files.
vim.filetype.add({
  filename = { ['loop.toml'] = 'loop-toml' },
  pattern = { ['.*%.loop%.toml'] = 'loop-toml' },
})
