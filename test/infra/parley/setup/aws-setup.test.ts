import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProbe } from '../../../../infra/configuration/index.ts';
import { askForStage, deployToAws } from '../../../../infra/parley/setup/aws/aws-step.ts';
import type { RunCdk } from '../../../../infra/parley/setup/aws/run-cdk.ts';
import { type Question, SetupError } from '../../../../infra/parley/setup/question.ts';
import { runSetup } from '../../../../infra/parley/setup/run-setup.ts';
import { SetupSession } from '../../../../infra/parley/setup/session.ts';
import { scratch } from '../../local/sample-template.ts';
import {
  CREDENTIALS,
  FAKE_ACCOUNT,
  type FakeAwsOptions,
  REGION,
  startFakeAws,
  withVariables,
} from '../fake-aws.ts';

let folder: ReturnType<typeof scratch>;
const closing: (() => void)[] = [];
beforeEach(() => {
  folder = scratch();
});
afterEach(() => {
  for (const close of closing.splice(0)) close();
  folder.remove();
});

/** A session whose CDK makes the stacks of a fake AWS. */
async function setUp(
  failures = 0,
  options: FakeAwsOptions = {},
  platforms: readonly string[] = [],
  isInteractive = true,
) {
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
    onLine('Parley | 1/1 | 12:00:00 | CREATE_COMPLETE | AWS::Lambda::Function | Worker (Worker0BA6A452)');
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
  const deploy = async (stageToDeploy = 'test') => {
    const session = new SetupSession({
      envFile,
      environment: {},
      prompter: {
        isInteractive,
        ask: async ({ id }) => {
          questionIds.push(id);
          return id === 'aws.stage' ? stageToDeploy : '';
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
    const options = {
      envFile,
      environment,
      prompter,
      say: () => undefined,
      open: () => undefined,
      createProbe,
    };
    const place = { data: join(folder.directory, 'data'), port: 0 };
    const done = withVariables(environment, () => runSetup(options, place, async () => 0));
    await expect(done).rejects.toThrow('Parley-test is deployed already.');
    expect(questionIds).toEqual(['target', 'aws.stage']);
  });

  test('after one stage failed, does not change another one that it has not made', async () => {
    const stacks = { 'Parley-other': { UpstreamSecret: 'upstream' } };
    const { deploy, runs } = await setUp(1, { stacks }, [], false);
    await expect(deploy('test')).rejects.toThrow('"cdk deploy" failed');
    // Corrected in the answers file.
    await expect(deploy('other')).rejects.toThrow('is deployed already');
    expect(runs.map(([name]) => name)).toEqual(['bootstrap', 'deploy']);
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
    const { deploy, runs } = await setUp(0, {
      stacks: { 'Parley-test': {} },
      stackStatus: 'ROLLBACK_COMPLETE',
    });
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

  test('continues with a deployment that an earlier version has begun, which stored that with the answers', async () => {
    const stacks = { 'Parley-test': { UpstreamSecret: 'upstream' } };
    const { deploy, runs, envFile } = await setUp(0, { stacks });
    const answers = { 'aws.stage': 'test', 'aws.deployed': 'begun' };
    writeFileSync(`${envFile}.setup.json`, JSON.stringify({ version: 1, answers }));
    await deploy();
    expect(runs.map(([name]) => name)).toEqual(['bootstrap', 'deploy']);
  });

  test.each([
    [10, true],
    [1_000, false],
  ])('lets few functions run at a time if the account may run %i: %p', async (concurrency, isFew) => {
    const { deploy, runs, lines } = await setUp(0, { concurrency });
    await deploy();
    const options = ['workerConcurrency=2', 'recordingConcurrency=2', 'largeConcurrency=2'];
    expect(runs.at(-1)?.filter((one) => options.includes(one))).toEqual(isFew ? options : []);
    expect(lines.some((line) => line.includes(options.map((one) => `-c ${one}`).join(' ')))).toBe(isFew);
  });

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
