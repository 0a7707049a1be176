import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildTemplate } from '../../../infra/local/template/build.ts';
import { startDiscordSimulator } from '../../simulators/discord/index.ts';
import { startSlackSimulator } from '../../simulators/slack/index.ts';
import { startUpstreamSimulator } from '../../simulators/upstream/index.ts';
import { serve } from '../configuration/serve.ts';
import { scratch } from './sample-template.ts';

const START = join(import.meta.dirname, '..', '..', '..', 'infra', 'local', 'start.js');
const OURS = /^(?:SLACK|DISCORD|UPSTREAM)_/;

let folder: ReturnType<typeof scratch>;
beforeEach(() => {
  folder = scratch();
});
afterEach(() => folder.remove());

/**
 * Runs `npm start` with this `.env`. Stops it like Ctrl+C once it runs, or once `stop` resolves. Resolves with the
 * terminal output.
 */
async function start(env: Readonly<Record<string, string>>, stop?: Promise<void>): Promise<string> {
  await buildTemplate();
  const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(folder.directory, '.env'), lines.join(''));
  const others = Object.entries(process.env).filter(([name]) => !OURS.test(name));
  const child = spawn(process.execPath, [START, '--port', '0'], {
    cwd: folder.directory,
    env: { ...Object.fromEntries(others), NODE_OPTIONS: '' },
  });
  let log = '';
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  for (const output of [child.stdout, child.stderr])
    output.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      if (!stop && log.includes('Stop it with Ctrl+C')) child.kill('SIGTERM');
    });
  await stop?.then(() => child.kill('SIGTERM'));
  await ended;
  return log;
}

const RUNS = 'Parley is running';

describe('npm start', () => {
  test('with a misspelled variable and an invalid time zone does not start, and names both', async () => {
    const output = await start({ SLACK_BOT_TOKN: 'xoxb-secret', TIME_ZONE: 'Berlin/Europe' });
    expect(output).not.toContain(RUNS);
    expect(output).toContain('2 settings');
    expect(output).toContain('FAIL  SLACK_BOT_TOKN');
    expect(output).toContain('Did you mean SLACK_BOT_TOKEN (starts with xoxb-');
    expect(output).toMatch(/FAIL {2}TIME_ZONE[^]*such as Europe\/Berlin/);
    expect(output).not.toContain('secret');
  });

  test('with rejected tokens and the URL of an endpoint does not start, and reports all of it', async () => {
    const [slack, discord, upstream] = await Promise.all([
      startSlackSimulator(),
      startDiscordSimulator(),
      startUpstreamSimulator({ apiKey: 'key' }),
    ]);
    const output = await start({
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: 'xoxb-wrong',
      SLACK_SIGNING_SECRET: 'ab'.repeat(16),
      DISCORD_API_URL: discord.apiUrl,
      DISCORD_APPLICATION_ID: discord.applicationId,
      DISCORD_PUBLIC_KEY: discord.keys.publicKey,
      DISCORD_BOT_TOKEN: 'a.wrong.token',
      DISCORD_GATEWAY_URL: 'ws://127.0.0.1:1',
      UPSTREAM_BASE_URL: `${upstream.baseUrl}/v1/models`,
      UPSTREAM_API_KEY: 'key',
      UPSTREAM_MODEL: 'model-e',
    });
    await Promise.all([slack.close(), discord.close(), upstream.close()]);
    expect(output).not.toContain(RUNS);
    expect(output).toContain('3 settings');
    expect(output).toContain('FAIL  SLACK_BOT_TOKEN: Slack refuses it (invalid_auth).');
    expect(output).toContain('FAIL  DISCORD_BOT_TOKEN: Discord refuses it (401)');
    expect(output).toContain(`UPSTREAM_BASE_URL=${upstream.baseUrl}\n`);
  });

  test('that is stopped during the checks does not report that it runs', async () => {
    const models = await serve({}, ['GET /v1/models']);
    const env = { UPSTREAM_BASE_URL: models.url, UPSTREAM_API_KEY: 'k', UPSTREAM_MODEL: 'm' };
    const running = start(env, models.requestSeen);
    await models.requestSeen;
    models.close();
    const output = await running;
    expect(output).toContain('Stopping');
    expect(output).not.toContain(RUNS);
  });

  test('without a network starts, warns, and reports that Slack is not connected yet, and what Discord needs', async () => {
    const slack = await startSlackSimulator();
    await slack.close();
    const output = await start({
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: 'xoxb-1',
      SLACK_APP_TOKEN: 'xapp-1',
      DISCORD_APPLICATION_ID: '901000000000000001',
      DISCORD_PUBLIC_KEY: 'ab'.repeat(32),
    });
    expect(output).toContain('WARN  Slack');
    expect(output).toContain('the connection was refused');
    expect(output).toContain(RUNS);
    expect(output).toContain('not connected yet');
    // Mentions need none: a person without a tunnel has not done anything wrong.
    expect(output).toMatch(
      /Discord {3}real: commands and buttons need a tunnel from an https address to http:\/\/127\.0\.0\.1:\d+ \(docs\/discord\.md\)/,
    );
  });
});
