import { expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProbe, type Probe } from '../../../../infra/configuration/index.ts';
import { runSetup } from '../../../../infra/parley/setup/run-setup.ts';
import { scratch } from '../../local/sample-template.ts';
import { startWorld, toEnvFile } from '../doctor/world.ts';
import { FAKE_ACCOUNT, startFakeAws, withVariables } from '../fake-aws.ts';

const MODELS = 'https://models.example.com';

/** The probes of the set-up, with a model server that AWS reaches. */
const createProbeWithModels = (timeoutMs: number): Probe => {
  const probe = createProbe(timeoutMs);
  return async (url, request) =>
    url === `${MODELS}/v1/models`
      ? {
          kind: 'answered',
          status: 200,
          headers: new Headers(),
          json: { data: [{ id: 'ours' }] },
          html: false,
          receivedAt: 0,
        }
      : probe(url, request);
};

test('with the .env of one machine, the set-up on AWS asks for what is missing only, and deploys the rest', async () => {
  const world = await startWorld();
  const folder = scratch();
  const stacks: Record<string, Record<string, string>> = { CDKToolkit: { BucketName: 'assets' } };
  const secrets = new Map(
    ['signing', 'bot', 'discord', 'upstream'].map((name) => [name, JSON.stringify({ current: '-' })]),
  );
  const aws = await startFakeAws({ stacks, secrets });
  const envFile = join(folder.directory, '.env');
  writeFileSync(
    envFile,
    toEnvFile({ ...world.variables, UPSTREAM_BASE_URL: MODELS, UPSTREAM_MODEL: 'ours' }),
  );
  const answers: Record<string, string> = {
    target: 'aws',
    'aws.stage': 'test',
    platforms: 'slack,discord',
    'slack.signingSecret': world.slack.signingSecret,
  };
  const questionIds: string[] = [];
  const runs: string[] = [];
  const environment = { ...FAKE_ACCOUNT, AWS_ENDPOINT_URL: aws.url };
  const options = {
    envFile,
    environment,
    prompter: {
      isInteractive: true,
      ask: async ({ id, initial = '' }: { readonly id: string; readonly initial?: string }) => {
        questionIds.push(id);
        return answers[id] ?? initial;
      },
    },
    say: () => undefined,
    open: () => undefined,
    createProbe: createProbeWithModels,
  };
  const deploy = async (args: readonly string[]): Promise<number> => {
    runs.push(args.join(' '));
    stacks['Parley-test'] = {
      SlackSigningSecret: 'signing',
      SlackBotSecret: 'bot',
      DiscordBotSecret: 'discord',
      UpstreamSecret: 'upstream',
    };
    return 0;
  };
  const place = { data: join(folder.directory, 'data'), port: 0 };
  try {
    await withVariables(environment, () => runSetup(options, place, deploy));
  } finally {
    aws.close();
    folder.remove();
    await world.close();
  }
  expect(questionIds).toEqual([
    'target',
    'aws.stage',
    'platforms',
    'discord.messages',
    'slack.signingSecret',
    'slack.channel',
    'slack.configToken',
  ]);
  expect(runs).toEqual([expect.stringMatching(/^deploy -c stage=test -c relay=on /u)]);
  for (const parameter of [
    `UpstreamBaseUrl=${MODELS}`,
    'UpstreamModel=ours',
    `DiscordApplicationId=${world.discord.applicationId}`,
    `DiscordPublicKey=${world.discord.keys.publicKey}`,
  ])
    expect(runs[0]).toContain(` --parameters ${parameter}`);
  const stored = [...secrets.values()].join('\n');
  for (const secret of [world.slack.botToken, world.slack.signingSecret, world.discord.botToken])
    expect(stored).toContain(secret);
});
