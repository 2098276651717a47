runtime! syntax/toml.vim
