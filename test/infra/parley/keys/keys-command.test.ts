import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { main } from '../../../../infra/parley/program.ts';
import { SILENT_TERMINAL } from '../../../../infra/parley/terminal.ts';
import { startFakeAws, withVariables, FAKE_ACCOUNT } from '../fake-aws.ts';

const OLD = 'sk-old-key-0001';
const NEW = 'sk-new-key-0002';

const secrets = new Map<string, string>();
let aws: Awaited<ReturnType<typeof startFakeAws>>;
beforeEach(async () => {
  secrets.set('upstream', JSON.stringify({ apiKey: OLD }));
  aws = await startFakeAws({ stacks: { Parley: { UpstreamSecret: 'upstream' } }, secrets });
});
afterEach(() => aws.close());

/** Rotates the API key of a deployment. `answer`: whether the person confirms it. */
async function rotate(key: string, answer: boolean, ...options: string[]) {
  const lines: string[] = [];
  const terminal = {
    ...SILENT_TERMINAL,
    print: (line: string) => void lines.push(line),
    report: (line: string) => void lines.push(line),
    confirm: async () => answer,
    env: { ...FAKE_ACCOUNT, AWS_ENDPOINT_URL: aws.url, NEW_KEY: key },
  };
  const args = ['keys', 'rotate', 'models', '--stage', 'prod', '--from-env', 'NEW_KEY', ...options];
  const code = await withVariables(FAKE_ACCOUNT, () => main(args, terminal));
  return { code, output: lines.join('\n') };
}

describe('rotating a key of a deployment', () => {
  test('says how long the former key counts', async () => {
    const { code, output } = await rotate(NEW, true);
    expect(code).toBe(0);
    expect(output).toContain('A former key counts for 1 h.');
    expect(JSON.parse(secrets.get('upstream') ?? '')).toMatchObject({ apiKey: NEW, more: [OLD] });
  });

  test.each([
    ['the person says no', NEW, false, []],
    ['the key is the current one', OLD, true, []],
    ['it is a dry run', NEW, true, ['--dry-run']],
  ])('does not say that a key may be revoked if %s', async (_, key, answer, options) => {
    const { code, output } = await rotate(key, answer, ...options);
    expect(code).toBe(0);
    expect(output).not.toContain('Revoke');
    expect(JSON.parse(secrets.get('upstream') ?? '')).toEqual({ apiKey: OLD });
  });
});
