-- What holds for TOML holds here: comments, and the treesitter parser where it is installed.
vim.cmd.runtime({ 'ftplugin/toml.vim', bang = true })

if vim.treesitter.language.add('toml') then
  vim.treesitter.start(0, 'toml')
end
