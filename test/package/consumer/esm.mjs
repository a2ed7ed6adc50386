import { check } from './check.cjs'

await check({ load: (entry) => import(entry), resolve: (entry) => import.meta.resolve(entry), build: 'esm' })
