import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { createProbe } from '../../../../infra/configuration/index.ts';
import { askInSlack } from '../../../../infra/parley/setup/ask-step.ts';
import { SetupSession } from '../../../../infra/parley/setup/session.ts';
import {
  DEFAULT_IDENTITY,
  type SlackSimulator,
  startSlackSimulator,
} from '../../../simulators/slack/index.ts';
import { scratch } from '../../local/sample-template.ts';

let folder: ReturnType<typeof scratch>;
let slack: SlackSimulator;
beforeEach(async () => {
  folder = scratch();
  const scopes = DEFAULT_IDENTITY.scopes.filter((scope) => scope !== 'users:read');
  slack = await startSlackSimulator({ identity: { scopes } });
});
afterEach(async () => {
  folder.remove();
  await slack.close();
});

test('a bot that may not list people is reported, and does not end the set-up', async () => {
  const lines: string[] = [];
  const session = new SetupSession({
    envFile: join(folder.directory, '.env'),
    environment: {},
    prompter: { isInteractive: false, ask: async () => '' },
    say: (line) => void lines.push(line),
    open: () => undefined,
    createProbe,
  });
  const { apiUrl, botToken, signingSecret, channel } = slack;
  const access = { eventsUrl: 'http://127.0.0.1:1', apiUrl, botToken, signingSecret };
  await askInSlack(session, access, channel);
  expect(lines).toEqual([
    expect.stringMatching(
      new RegExp(
        `The test question was not answered: .*missing_scope.* --slack-channel ${channel}" says more`,
      ),
    ),
  ]);
});
