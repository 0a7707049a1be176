import { expect, test } from '@jest/globals';
import { join } from 'node:path';
import { startLocal } from '../../../../infra/local/index.ts';
import { APP_TOKEN, CONFIG_TOKEN, startWorld } from '../doctor/world.ts';
import { SetupFolder } from './scripted.ts';

test('after setup, npm start answers a mention and a slash command that come over the socket of Slack', async () => {
  const world = await startWorld({ isNew: true });
  const folder = new SetupFolder(world, 'slack');
  const { slack, upstream } = world;
  const { error } = await folder.run({
    platforms: 'slack',
    'models.url': upstream.baseUrl,
    'models.key': 'key-of-the-models',
    'models.model': 'model-e',
    'slack.configToken': CONFIG_TOKEN,
    'slack.botToken': slack.botToken,
    'slack.appToken': APP_TOKEN,
  });
  expect(error).toBeUndefined();
  const lines: string[] = [];
  const system = await startLocal({
    data: join(folder.directory, 'data'),
    port: 0,
    variables: folder.readVariables(),
    say: (line) => void lines.push(line),
  });
  try {
    expect(lines.filter((line) => /WARN|FAIL/.test(line))).toEqual([]);
    const thread = await slack.say('ada', '@parley What is 20 + 3?');
    const answer = await slack.core.until(() =>
      [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].find(
        (one) => one.thread === thread && one.user === slack.botUserId && one.text.includes('23'),
      ),
    );
    expect(answer.text).toContain('23');
    expect(await slack.command('ada', '/parley help')).toEqual({ acknowledged: true });
  } finally {
    await system.close();
    folder.remove();
    await world.close();
  }
});
