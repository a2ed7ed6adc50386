/** Names of route tools: the given name, else the operationId, else method and path. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseExpress4 } from '../../src/routes/discovery/path-syntax.js'
import { toTemplate } from '../../src/routes/discovery/path-template.js'
import { nameOfRoute } from '../../src/routes/naming.js'
import type { Route } from '../../src/routes/route.js'

const route = (method: string, path: string, more: Partial<Route> = {}): Route => ({
  framework: 'express',
  method,
  template: toTemplate(parseExpress4(path)),
  guards: [],
  handlerName: '',
  marker: undefined,
  schema: undefined,
  ...more,
})

test.each([
  ['GET', '/', 'get_root'],
  ['GET', '/tasks', 'get_tasks'],
  ['GET', '/tasks/', 'get_tasks'],
  ['GET', '/tasks/:id', 'get_tasks_by_id'],
  ['DELETE', '/orgs/:org/users/:userId', 'delete_orgs_by_org_users_by_userId'],
  ['GET', '/ranges/:from-:to', 'get_ranges_by_from_by_to'],
  ['GET', '/files/:name.json', 'get_files_by_name_json'],
  ['POST', '/v1.2/grün/a--b', 'post_v1_2_grun_a_b'],
  ['GET', '/café/:id', 'get_cafe_by_id'],
  ['GET', '/users/:id/Смета', 'get_users_by_id_smeta'],
  ['GET', '/заказы/:id', 'get_zakazy_by_id'],
  ['GET', '/τιμές', 'get_times'],
  ['GET', '/用户', 'get_u7528_u6237'],
  ['GET', '/%E8%AE%A2%E5%8D%95', 'get_u8ba2_u5355'],
])('%s %s is %s', (method, path, name) => {
  expect(nameOfRoute(route(method, path))).toBe(name)
})

test('an operationId comes before the path, a given name before both', () => {
  const schema = { source: 'openapi', operationId: 'Tasks: list all' }
  expect(nameOfRoute(route('GET', '/tasks', { schema }))).toBe('Tasks_list_all')
  expect(nameOfRoute(route('GET', '/tasks', { schema, marker: { name: 'mine' } }))).toBe('mine')
})

test('a name that is too long keeps its end, with a stable hash', () => {
  const path = '/organisations/:organisationId/departments/:departmentId/projects/:projectId/members'
  expect(nameOfRoute(route('GET', path))).toBe('get_by_departmentId_projects_by_projectId_members_d0b1f831')
})

test.each([
  [
    'createOrganizationRepositorySecurityConfigurationDefaultSettings',
    /^create_.*DefaultSettings_[0-9a-f]{8}$/,
  ],
  [
    'createOrganizationRepositorySecurityConfigurationAttachmentRules',
    /^create_.*AttachmentRules_[0-9a-f]{8}$/,
  ],
  [
    'get_private_repo_fork_pr_workflows_settings_of_an_organization_now',
    /^get_.*of_an_organization_now_[0-9a-f]{8}$/,
  ],
  [
    'actions/enable-selected-repository-github-actions-for-an-organization',
    /^actions_enable_.*for-an-organization_[0-9a-f]{8}$/,
  ],
  [
    'actions/disable-selected-repository-github-actions-for-an-organization',
    /^actions_disable_.*for-an-organization_[0-9a-f]{8}$/,
  ],
])('a long operationId keeps its verb and its last words: %s', (operationId, name) => {
  const schema = { source: 'openapi', operationId }
  expect(nameOfRoute(route('GET', '/x', { schema }))).toMatch(name)
})

test('operationIds in other scripts have different names', () => {
  const name = (operationId: string) =>
    nameOfRoute(route('GET', '/x', { schema: { source: 'openapi', operationId } }))
  expect([name('获取用户'), name('获取订单'), name('получитьЗаказы')]).toEqual([
    'u83b7_u53d6_u7528_u6237',
    'u83b7_u53d6_u8ba2_u5355',
    'poluchit_zakazy',
  ])
})

test('every name is valid in all clients, and long paths have different names', () => {
  const segment = fc.stringMatching(/^:?[a-zA-Z][a-zA-Z0-9_.-]{0,30}$/)
  fc.assert(
    fc.property(
      fc.array(segment, { minLength: 1, maxLength: 8 }),
      fc.constantFrom('GET', 'PATCH'),
      (parts, method) => {
        const path = `/${parts.join('/')}`
        const name = nameOfRoute(route(method, path))
        expect(name).toMatch(/^[A-Za-z0-9_-]{1,60}$/)
        const other = nameOfRoute(route(method, `/other${path}`))
        expect(other).not.toBe(name)
      },
    ),
    { numRuns: 1_000 },
  )
})
