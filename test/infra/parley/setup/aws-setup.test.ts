import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProbe } from '../../../../infra/configuration/index.ts';
import { deployToAws } from '../../../../infra/parley/setup/aws/aws-step.ts';
import { toDeployArguments } from '../../../../infra/parley/setup/aws/deploy-arguments.ts';
import {
  createCdkProgress,
  createRunCdk,
  type RunCdk,
  runCdkStep,
} from '../../../../infra/parley/setup/aws/run-cdk.ts';
import { SetupSession } from '../../../../infra/parley/setup/session.ts';
import { scratch } from '../../local/sample-template.ts';
import { CREDENTIALS, REGION, startFakeAws } from '../fake-aws.ts';

const event = (done: number, total: number, status = 'CREATE_COMPLETE') =>
  `Parley |  ${done}/${total} | 12:00:00 | ${status} | AWS::Lambda::Function | Worker (Worker0BA6A452)`;

let folder: ReturnType<typeof scratch>;
const closing: (() => void)[] = [];
beforeEach(() => {
  folder = scratch();
});
afterEach(() => {
  for (const close of closing.splice(0)) close();
  folder.remove();
});

describe('the CDK', () => {
  test('gets the settings as parameters, and no credentials', () => {
    const args = toDeployArguments(
      { stage: 'prod', relay: true },
      {
        UPSTREAM_BASE_URL: 'https://models.example.com',
        UPSTREAM_API_KEY: 'secret-key',
        SLACK_BOT_TOKEN: 'xoxb-secret',
        DEPLOYMENT_BUDGET: '$20/day',
        FFMPEG_PATH: '/usr/bin/ffmpeg',
        PATH: '/bin',
      },
    );
    expect(args.slice(0, 5)).toEqual(['deploy', '-c', 'stage=prod', '-c', 'relay=on']);
    expect(args.filter((_, index) => args[index - 1] === '--parameters').toSorted()).toEqual([
      'DeploymentBudget=$20/day',
      'UpstreamBaseUrl=https://models.example.com',
    ]);
    expect(args.join(' ')).not.toContain('secret');
  });

  test('reports each tenth of the resources and every failure', () => {
    const lines: string[] = [];
    const progress = createCdkProgress((line) => void lines.push(line));
    progress('Bundling asset Parley/Worker');
    for (let done = 0; done <= 20; done += 1) progress(event(done, 20));
    progress(event(20, 20, 'CREATE_FAILED'));
    expect(lines).toHaveLength(12);
    expect(lines[1]).toBe('  2 of 20 resources');
    expect(lines.at(-1)).toBe('  CREATE_FAILED: AWS::Lambda::Function Worker');
  });

  test('as a process: its lines arrive, and a failure shows the last ones with a hint', async () => {
    const executable = join(folder.directory, 'cdk');
    writeFileSync(
      executable,
      `#!/bin/sh\necho "args: $*"\necho "${event(1, 2)}" >&2\necho "ExpiredToken" >&2\nexit 3\n`,
    );
    chmodSync(executable, 0o755);
    const lines: string[] = [];
    const run = createRunCdk(executable, { PATH: process.env['PATH'] });
    const step = runCdkStep(run, ['deploy', 'now'], (line) => void lines.push(line));
    await expect(step).rejects.toThrow(
      /"cdk deploy" failed \(exit code 3\)[^]*args: deploy now[^]*aws sso login/,
    );
    expect(lines).toEqual(['  1 of 2 resources']);
    await expect(
      createRunCdk(join(folder.directory, 'none'), {})(['deploy'], () => undefined),
    ).rejects.toThrow('npm ci');
  });
});

test.each([
  [
    'Stack [Parley] cannot be deleted while TerminationProtection is enabled',
    /update-termination-protection/u,
    /destroy/u,
  ],
  [
    'ApiStage Cannot enable logging. Policy document length breaking Cloudwatch Logs Constraints, either < 1 or > 5120',
    /log groups of deleted APIs/u,
    /destroy/u,
  ],
  ['ApiStage Insufficient permissions to enable logging', /logs:PutResourcePolicy/u, /destroy/u],
  // Never to destroy: the deployment before it works.
  ['Parley failed: the stack is in UPDATE_ROLLBACK_COMPLETE', /which resource failed/u, /destroy/u],
  ['Parley is in UPDATE_IN_PROGRESS state', /Another deployment is running/u, /destroy/u],
])('a failed deployment (%s) says what to do', async (line, hint, wrong) => {
  const run: RunCdk = async (_, onLine) => (onLine(line), 1);
  const error: unknown = await runCdkStep(run, ['deploy'], () => undefined).catch(
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ message: expect.stringMatching(hint) });
  expect(error).not.toMatchObject({ message: expect.stringMatching(wrong) });
});

/** A session whose CDK makes the stacks of a fake AWS. */
async function setUp(failures = 0) {
  const stacks: Record<string, Record<string, string>> = {};
  const aws = await startFakeAws({
    stacks,
    secrets: new Map([['upstream', JSON.stringify({ apiKey: 'to be filled in' })]]),
  });
  closing.push(aws.close);
  const runs: string[][] = [];
  let left = failures;
  const run: RunCdk = async (args, onLine) => {
    runs.push([...args]);
    onLine(event(1, 1));
    if (args[0] === 'deploy' && left > 0) {
      left -= 1;
      return 1;
    }
    stacks[args[0] === 'bootstrap' ? 'CDKToolkit' : 'Parley-test'] = { UpstreamSecret: 'upstream' };
    return 0;
  };
  const envFile = join(folder.directory, '.env');
  writeFileSync(
    envFile,
    'UPSTREAM_BASE_URL=https://models.example.com\nUPSTREAM_API_KEY=the-key\nUPSTREAM_MODEL=ours\n',
  );
  const lines: string[] = [];
  const questionIds: string[] = [];
  const deploy = async () => {
    const session = new SetupSession({
      envFile,
      environment: {},
      prompter: {
        isInteractive: true,
        ask: async ({ id }) => {
          questionIds.push(id);
          return id === 'aws.stage' ? 'test' : '';
        },
      },
      say: (line) => void lines.push(line),
      open: () => undefined,
      createProbe,
    });
    const account = { credentials: CREDENTIALS, region: REGION, endpoint: aws.url };
    return deployToAws(session, account, [], run);
  };
  return { deploy, runs, lines, questionIds, envFile };
}

describe('the set-up on AWS', () => {
  test('prepares the account, deploys, and stores the secrets', async () => {
    const { deploy, runs, lines } = await setUp();
    expect(await deploy()).toBe('test');
    expect(runs.map(([name]) => name)).toEqual(['bootstrap', 'deploy']);
    expect(runs[1]).toContain('UpstreamModel=ours');
    expect(lines.join('\n')).toContain('UPSTREAM_API_KEY stored in its secret');
    expect(lines.join('\n')).not.toContain('the-key');
    expect(lines.join('\n')).toContain('Checked the deployment: 3 of 3 checks passed.');
  });

  test('continues where it was interrupted: it asks nothing again, and prepares nothing again', async () => {
    const { deploy, runs, questionIds, lines, envFile } = await setUp(1);
    await expect(deploy()).rejects.toThrow('"cdk deploy" failed');
    expect(existsSync(`${envFile}.setup.json`)).toBe(true);
    await deploy();
    expect(runs.map(([name]) => name)).toEqual(['bootstrap', 'deploy', 'deploy']);
    await deploy();
    expect(runs).toHaveLength(3);
    expect(lines.join('\n')).toContain('Parley-test is deployed already');
    expect(questionIds).toEqual(['aws.stage']);
  });
});
