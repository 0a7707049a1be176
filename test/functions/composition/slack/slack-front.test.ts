import { expect, test } from '@jest/globals';
import { createSlackFrontDeps } from '../../../../functions/composition/slack/slack-front.ts';
import { workspaceId } from '../../../../shared/domain/index.ts';
import { readSlackFrontConfig } from '../../../../shared/runtime/config/front-config.ts';
import { ENV } from '../../../isolation/environment.ts';
import { NOW } from '../../slack.ts';

/** The deployed front finds bots in a table of installs, and counts the requests to AWS. */
function front() {
  const requests: string[] = [];
  const installed = new Map<string, string>();
  let clock = NOW;
  const { findBot } = createSlackFrontDeps(readSlackFrontConfig(ENV), () => clock, {
    callerOf: () => async (operation) => {
      if (operation.service === 'secretsmanager') return { SecretString: '{"current":"secret"}' };
      requests.push(operation.target);
      const team = /INSTALL#slack#(\w+)/u.exec(operation.input)?.[1] ?? '';
      const bot = installed.get(team);
      // The rest of the install is not readable.
      return bot === undefined ? {} : { Item: { botUser: { S: bot } } };
    },
    schedule: () => undefined,
  });
  return {
    find: async () => findBot?.(workspaceId('T1')),
    installed,
    requests,
    wait: (ms: number) => (clock += ms),
  };
}

test('a company that has just installed the app is known seconds later', async () => {
  const { find, installed, requests, wait } = front();
  expect([await find(), await find()]).toEqual([undefined, undefined]);
  expect(requests).toHaveLength(1);
  installed.set('T1', 'U1BOT');
  wait(5_000);
  expect(await find()).toBe('U1BOT');
});

test('an install whose token cannot be read, or KMS, keeps no event of a shared channel back', async () => {
  const { find, installed, requests } = front();
  installed.set('T1', 'U1BOT');
  expect(await find()).toBe('U1BOT');
  expect(requests).toEqual(['DynamoDB_20120810.GetItem']);
});
