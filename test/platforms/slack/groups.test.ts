import { expect, test } from '@jest/globals';
import { groupFinder } from '../../../shared/platforms/slack/index.ts';
import { createWorkspace, directCall } from '../../simulators/slack/index.ts';
import { DEFAULT_IDENTITY } from '../../simulators/slack/identity.ts';
import { TestTime } from '../../upstream/time.ts';

const groups = [
  { id: 'S0SALES000', handle: 'sales', users: ['U0ADA00000'] },
  { id: 'S0ALL00000', handle: 'all', users: ['U0ADA00000', 'U0GRACE000'] },
];

function finder(scopes: readonly string[] = DEFAULT_IDENTITY.scopes) {
  const workspace = createWorkspace({ identity: { groups, scopes } });
  const direct = directCall(workspace);
  const calls: string[] = [];
  const time = new TestTime();
  const find = groupFinder({
    call: (method, args) => {
      calls.push(method);
      return direct(method, args);
    },
    time,
  });
  return { find, calls, time };
}

test('the groups that a person is in, by one call for all, which counts for five minutes', async () => {
  const { find, calls, time } = finder();
  expect(await find('U0ADA00000')).toEqual(['S0SALES000', 'S0ALL00000']);
  expect(await find('U0GRACE000')).toEqual(['S0ALL00000']);
  expect(await find('U0EVE00000')).toEqual([]);
  expect(calls).toEqual(['usergroups.list']);
  time.advance(5 * 60_000);
  await find('U0ADA00000');
  expect(calls).toHaveLength(2);
});

test('an app that may not read them knows of none', async () => {
  expect(await finder([]).find('U0ADA00000')).toEqual([]);
});
