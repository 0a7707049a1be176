import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createProbe } from '../../../../infra/configuration/index.ts';
import { askForStage, deployToAws } from '../../../../infra/parley/setup/aws/aws-step.ts';
import { toDeployArguments } from '../../../../infra/parley/setup/aws/deploy-arguments.ts';
import {
  createCdkProgress,
  createRunCdk,
  type RunCdk,
  runCdkStep,
} from '../../../../infra/parley/setup/aws/run-cdk.ts';
import { type Question, SetupError } from '../../../../infra/parley/setup/question.ts';
import { runSetup } from '../../../../infra/parley/setup/run-setup.ts';
import { SetupSession } from '../../../../infra/parley/setup/session.ts';
import { scratch } from '../../local/sample-template.ts';
import { CREDENTIALS, FAKE_ACCOUNT, type FakeAwsOptions, REGION, startFakeAws, withVariables } from '../fake-aws.ts';

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

  test('gets the parameters of the relay only with the relay: the template has them only then', () => {
    const variables = {
      DISCORD_APPLICATION_ID: '901000000000000001',
      DISCORD_GATEWAY_URL: 'wss://gateway.example.com',
      DISCORD_MESSAGES: 'all',
      DISCORD_RELAY_TASKS: '2',
    };
    const parametersOf = (relay: boolean) =>
      toDeployArguments({ stage: 'prod', relay }, variables).filter((one) => one.startsWith('Discord'));
    expect(parametersOf(false)).toEqual(['DiscordApplicationId=901000000000000001']);
    expect(parametersOf(true)).toHaveLength(4);
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

  test.each([
    ['another Node', { PATH: '/elsewhere' }, `${dirname(process.execPath)}:/elsewhere`],
    ['none', {}, dirname(process.execPath)],
  ])('finds the Node that runs the set-up where PATH has %s', async (_, env, path) => {
    const executable = join(folder.directory, 'cdk');
    writeFileSync(executable, '#!/bin/sh\necho "$PATH"\n');
    chmodSync(executable, 0o755);
    const lines: string[] = [];
    await createRunCdk(executable, env)([], (line) => void lines.push(line));
    expect(lines).toEqual([path]);
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
  [
    'Invalid request provided: CreateCluster Invalid Request: Unable to assume the service linked role. Please verify that the ECS service linked role exists.',
    /aws iam create-service-linked-role/u,
    /destroy/u,
  ],
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
async function setUp(failures = 0, options: FakeAwsOptions = {}, platforms: readonly string[] = []) {
  const stacks: Record<string, Record<string, string>> = { ...options.stacks };
  const aws = await startFakeAws({
    ...options,
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
    const stage = await askForStage(session, account);
    await deployToAws(session, account, { stage, platforms }, run);
  };
  return { deploy, runs, lines, questionIds, envFile, stacks, aws };
}

describe('the set-up on AWS', () => {
  test('prepares the account, deploys, and stores the secrets', async () => {
    const { deploy, runs, lines } = await setUp();
    await deploy();
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

  test('does not change a deployment that it has not made: it would remove its options', async () => {
    const stacks = { 'Parley-test': { UpstreamSecret: 'upstream' } };
    const { deploy, runs, questionIds } = await setUp(0, { stacks });
    await expect(deploy()).rejects.toThrow(
      /Parley-test is deployed already\. [^]*the same -c options [^]*"npx parley connect --stage test"/u,
    );
    expect(runs).toEqual([]);
    // Another stage can be given then.
    await expect(deploy()).rejects.toThrow('is deployed already');
    expect(questionIds).toEqual(['aws.stage', 'aws.stage']);
  });

  test('asks for nothing and creates nothing elsewhere if the stage is deployed already', async () => {
    const stacks = { 'Parley-test': { UpstreamSecret: 'upstream' } };
    const { aws, envFile } = await setUp(0, { stacks });
    const environment = { ...FAKE_ACCOUNT, AWS_ENDPOINT_URL: aws.url };
    const answers: Record<string, string> = { target: 'aws', 'aws.stage': 'test' };
    const questionIds: string[] = [];
    const prompter = {
      isInteractive: true,
      ask: async ({ id }: Question) => (questionIds.push(id), answers[id] ?? ''),
    };
    const options = { envFile, environment, prompter, say: () => undefined, open: () => undefined, createProbe };
    const place = { data: join(folder.directory, 'data'), port: 0 };
    const done = withVariables(environment, () => runSetup(options, place, async () => 0));
    await expect(done).rejects.toThrow('Parley-test is deployed already.');
    expect(questionIds).toEqual(['target', 'aws.stage']);
  });

  test.each([
    ['AccessDenied', 'The credentials lack the right cloudformation:DescribeStacks.'],
    ['Throttling', 'AWS is busy: try again in a minute.'],
  ])('deploys nothing where it cannot see what is deployed: %s', async (stackError, fix) => {
    const { deploy, runs } = await setUp(0, { stackError });
    const error: unknown = await deploy().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SetupError);
    expect(error).toMatchObject({
      message: `The stack Parley-test could not be read (${stackError}). ${fix}`,
    });
    expect(runs).toEqual([]);
  });

  test('deploys again where the first deployment failed, which leaves a stack without outputs', async () => {
    const { deploy, runs } = await setUp(0, { stacks: { 'Parley-test': {} }, stackStatus: 'ROLLBACK_COMPLETE' });
    await deploy();
    expect(runs.map(([name]) => name)).toEqual(['bootstrap', 'deploy']);
  });

  test('continues with a deployment that it has begun, also if it was stopped before that ended', async () => {
    const { deploy, runs, stacks } = await setUp(1);
    await expect(deploy()).rejects.toThrow('"cdk deploy" failed');
    // AWS went on without it.
    stacks['Parley-test'] = { UpstreamSecret: 'upstream' };
    await deploy();
    expect(runs.map(([name]) => name)).toEqual(['bootstrap', 'deploy', 'deploy']);
  });

  test.each([
    [10, true],
    [1_000, false],
  ])(
    'transcribes few recordings at a time if the account may run %i functions: %p',
    async (concurrency, isFew) => {
      const { deploy, runs, lines } = await setUp(0, { concurrency });
      await deploy();
      expect(runs.at(-1)?.includes('recordingConcurrency=2')).toBe(isFew);
      expect(lines.some((line) => line.includes('-c recordingConcurrency=2'))).toBe(isFew);
    },
  );

  test.each<[string, FakeAwsOptions, string[]]>([
    ['creates', {}, []],
    ['has', { roles: new Set(['ecs.amazonaws.com']) }, []],
    ['may not create', { iamError: 'AccessDenied' }, ['AccessDenied']],
  ])('with the relay: %s the role that its container needs', async (_, options, said) => {
    const roles = options.roles ?? new Set();
    const { deploy, lines, runs } = await setUp(0, { roles, ...options }, ['discord']);
    await deploy();
    expect(runs.at(-1)).toContain('relay=on');
    const about = lines.filter((line) => line.includes('create-service-linked-role'));
    expect(about.map((line) => /\((\w+)\)/u.exec(line)?.[1])).toEqual(said);
    expect([...roles]).toEqual(options.iamError === undefined ? ['ecs.amazonaws.com'] : []);
  });

  test('without the relay it creates no role', async () => {
    const roles = new Set<string>();
    const { deploy } = await setUp(0, { roles });
    await deploy();
    expect(roles.size).toBe(0);
  });
});
