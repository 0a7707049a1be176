import { describe } from '@jest/globals';
import { createProbe } from '../../../../infra/configuration/index.ts';
import { type Mistake, testMistakes } from './mistake.ts';
import { toEnvFile, type World } from './world.ts';

const HOUR_MS = 3_600_000;

/** `.env` with a further line. */
const withLine = (line: string) => (world: World) => ({
  envFile: { path: '.env', exists: true, mode: 0o600, text: `${toEnvFile(world.variables)}${line}\n` },
});

const models: readonly Mistake[] = [
  {
    title: 'the base URL is that of an endpoint',
    change: (all, { upstream }) => ({ ...all, UPSTREAM_BASE_URL: `${upstream.baseUrl}/v1/models` }),
    problem: 'fail UPSTREAM_BASE_URL',
    finding: /there is nothing at \/v1\/models/,
    fix: /^UPSTREAM_BASE_URL=http:\/\/127\.0\.0\.1:\d+$/,
  },
  {
    title: 'the base URL is that of a web page',
    change: (all, { slack }) => ({ ...all, UPSTREAM_BASE_URL: slack.url }),
    problem: 'warn UPSTREAM_BASE_URL',
    finding: /404/,
    fix: /the http or https address of your chat-completions server/,
  },
  {
    title: 'the model server does not run',
    change: (all) => ({ ...all, UPSTREAM_BASE_URL: 'http://127.0.0.1:1' }),
    problem: 'warn UPSTREAM_BASE_URL',
    finding: /could not be reached/,
    fix: /see that it runs/,
  },
  {
    title: 'the key of the model server is wrong',
    change: (all) => ({ ...all, UPSTREAM_API_KEY: 'another' }),
    problem: 'fail UPSTREAM_API_KEY',
    finding: /refuses the key \(401\)/,
    fix: /from whoever runs your chat-completions server/,
  },
  {
    title: 'the model is unknown',
    change: (all) => ({ ...all, UPSTREAM_MODEL: 'model-ee' }),
    problem: 'warn UPSTREAM_MODEL',
    finding: /does not list the model model-ee/,
    fix: /Did you mean model-e\?/,
  },
  {
    title: 'the model is unknown, when it is asked',
    change: (all) => ({ ...all, UPSTREAM_MODEL: 'no-such' }),
    input: { shouldAskModel: true },
    problem: 'fail Model no-such',
    others: ['warn UPSTREAM_MODEL'],
    finding: /not known to the server \(404\)/,
    fix: /GET \/v1\/models/,
  },
];

const machine: readonly Mistake[] = [
  {
    title: 'a variable is misspelled',
    input: withLine('SLACK_BOT_TOKN=x'),
    problem: 'fail SLACK_BOT_TOKN',
    finding: /does not read it/,
    fix: /Did you mean SLACK_BOT_TOKEN/,
  },
  {
    title: 'a variable is unknown',
    input: withLine('COLOUR=blue'),
    problem: 'warn COLOUR',
    finding: /does not read it/,
    fix: /Take it out/,
  },
  {
    title: 'a configuration token is in .env',
    input: withLine('SLACK_CONFIG_TOKEN=xoxe.xoxp-1-valid'),
    problem: 'warn SLACK_CONFIG_TOKEN',
    finding: /does not belong into \.env/,
    fix: /set it for one command/,
  },
  {
    title: 'a line is malformed',
    input: withLine('just words'),
    problem: 'fail .env, line 12',
    finding: /NAME=value/,
    fix: /begin the line with #/,
  },
  {
    title: 'other users of the machine can read .env',
    input: (world) => ({
      envFile: { path: '.env', exists: true, mode: 0o644, text: toEnvFile(world.variables) },
    }),
    problem: 'warn .env',
    finding: /other users/,
    fix: /chmod 600 \.env/,
  },
  {
    title: 'Node is too old',
    input: { nodeVersion: '22.12.0' },
    problem: 'fail Node',
    finding: /is 22\.12\.0; Parley needs 24/,
    fix: /npm ci/,
  },
  {
    title: 'the clock is wrong, so that signatures of Discord are rejected',
    input: { createProbe: () => createProbe(3_000, () => Date.now() + HOUR_MS) },
    problem: 'fail Clock',
    finding: /36\d\d s ahead of http:.*: every request of Discord is rejected/,
    fix: /timedatectl set-ntp true/,
  },
];

describe('the models', () => {
  testMistakes(models);
});
describe('this machine', () => {
  testMistakes(machine);
});
