import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setUpModels } from '../../../../infra/parley/setup/model-step.ts';
import { SetupSession } from '../../../../infra/parley/setup/session.ts';
import { scratch } from '../../local/sample-template.ts';

let folder: ReturnType<typeof scratch>;
beforeEach(() => {
  folder = scratch();
});
afterEach(() => folder.remove());

/** Answers these addresses, and nothing then. */
function ask(answers: readonly string[], isInteractive: boolean) {
  const envFile = join(folder.directory, '.env');
  writeFileSync(envFile, 'UPSTREAM_BASE_URL=http://localhost:8000\nUPSTREAM_API_KEY=k\nUPSTREAM_MODEL=m\n');
  const lines: string[] = [];
  const questionIds: string[] = [];
  const session = new SetupSession({
    envFile,
    environment: {},
    prompter: { isInteractive, ask: async ({ id }) => answers[questionIds.push(id) - 1] ?? '' },
    say: (line) => void lines.push(line),
    open: () => undefined,
    createProbe: () => async () => {
      throw new Error('nothing is asked');
    },
  });
  return { isSetUp: setUpModels(session, true), lines, questionIds };
}

describe('models for a deployment', () => {
  test.each([
    'http://localhost:8000',
    'http://127.0.0.1',
    'http://[::1]:80',
    'http://host.docker.internal:1',
  ])('are not those of this machine: %s', async (url) => {
    const { isSetUp, lines, questionIds } = ask([url], true);
    expect(await isSetUp).toBe(false);
    expect(lines.join('\n')).toMatch(/address of this machine, which a deployment cannot reach/u);
    expect(questionIds).toEqual(['models.url', 'models.url']);
  });

  test('from a file of answers are refused with the reason', async () => {
    const { isSetUp, lines } = ask(['http://localhost:8000'], false);
    await expect(isSetUp).rejects.toThrow('An answer does not work');
    expect(lines.join('\n')).toContain('which a deployment cannot reach');
  });
});
