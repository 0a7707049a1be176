import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { chmodSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toDeployArguments } from '../../../../infra/parley/setup/aws/deploy-arguments.ts';
import {
  createCdkProgress,
  createRunCdk,
  type RunCdk,
  runCdkStep,
} from '../../../../infra/parley/setup/aws/run-cdk.ts';
import { scratch } from '../../local/sample-template.ts';

const event = (done: number, total: number, status = 'CREATE_COMPLETE') =>
  `Parley |  ${done}/${total} | 12:00:00 | ${status} | AWS::Lambda::Function | Worker (Worker0BA6A452)`;

let folder: ReturnType<typeof scratch>;
beforeEach(() => {
  folder = scratch();
});
afterEach(() => folder.remove());

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
