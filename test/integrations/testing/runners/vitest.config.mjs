export default { test: { include: ['with-vitest.test.mjs'] } }
