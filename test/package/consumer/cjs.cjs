const { check } = require('./check.cjs')

check({ load: require, resolve: require.resolve, build: 'cjs' })
