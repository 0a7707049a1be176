import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '../../../../infra/parley/connect/connect-command.ts';
import { scratch } from '../../local/sample-template.ts';
import { NO_AWS, startFakeAws, withVariables, FAKE_ACCOUNT } from '../fake-aws.ts';

let folder: ReturnType<typeof scratch>;
beforeEach(() => {
  folder = scratch();
});
afterEach(() => folder.remove());

async function run(env: string, variables: Readonly<Record<string, string>> = {}) {
  const reported: string[] = [];
  const terminal = {
    print: (line: string) => void reported.push(line),
    report: (line: string) => void reported.push(line),
    hasColors: false,
    width: undefined,
    confirm: undefined,
    // No credentials: what is wrong before AWS is asked comes first.
    env: { ...NO_AWS, ...variables },
  };
  return { code: await connect({ stage: 'prod', env }, terminal), reported: reported.join('\n') };
}

test('a file with credentials that does not exist, or is a folder, is an error', async () => {
  const directory = join(folder.directory, 'inner');
  mkdirSync(directory);
  for (const path of [join(folder.directory, 'typo.env'), directory])
    expect(await run(path)).toEqual({ code: 1, reported: `There is no file ${path}.` });
});

test('a malformed credential is not stored: the one that works stays', async () => {
  const path = join(folder.directory, 'some.env');
  const token = 'xoxp-1-secret';
  writeFileSync(path, `SLACK_BOT_TOKEN=${token}\nSLACK_SIGNING_SECRET=abc\nUPSTREAM_API_KEY=key\n`);
  const { code, reported } = await run(path);
  expect(code).toBe(1);
  expect(reported).toMatch(/^Nothing was stored:\n {2}FAIL {2}SLACK_BOT_TOKEN: .*user token \(xoxp-\)/u);
  expect(reported).toContain('SLACK_SIGNING_SECRET');
  expect(reported).not.toContain(token);
});

test('what is missing for a local system is no error, and a line that is not read is told', async () => {
  const path = join(folder.directory, 'some.env');
  writeFileSync(path, 'SLACK_BOT_TOKEN=xoxb-1\nUPSTREAM_API_KEY key\n');
  const { code, reported } = await run(path);
  expect(code).toBe(1);
  expect(reported).toContain('.env, line 2');
  expect(reported).toMatch(/There are no AWS credentials\. Run "aws configure"[^\n]*$/u);
});

test('something is left to do while a secret has its placeholder', async () => {
  const path = join(folder.directory, 'some.env');
  writeFileSync(path, 'LOG_LEVEL=info\n');
  const content = JSON.stringify({ apiKey: 'to be filled in' });
  const aws = await startFakeAws({
    stacks: { Parley: { UpstreamSecret: 'upstream' } },
    secrets: new Map([['upstream', content]]),
  });
  try {
    const { code, reported } = await withVariables(FAKE_ACCOUNT, () =>
      run(path, { ...FAKE_ACCOUNT, AWS_ENDPOINT_URL: aws.url }),
    );
    expect(reported).toMatch(/FAIL {2}UpstreamSecret: has its placeholder/u);
    expect(code).toBe(1);
  } finally {
    aws.close();
  }
});
