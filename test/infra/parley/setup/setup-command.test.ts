import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../../../../infra/parley/program.ts';
import { createAnswersPrompter, parseAnswers } from '../../../../infra/parley/setup/answers-prompter.ts';
import { NO_AWS } from '../fake-aws.ts';
import { APP_TOKEN, startWorld, type World } from '../doctor/world.ts';
import { SetupFolder } from './scripted.ts';

let world: World;
let folder: SetupFolder;
beforeEach(async () => {
  world = await startWorld({ isNew: true });
  folder = new SetupFolder(world, 'slack');
});
afterEach(async () => {
  folder.remove();
  await world.close();
});

/** Runs `parley setup --answers` with this content of the file. */
async function setup(answers: unknown, env: Record<string, string> = {}, envFile = folder.envFile) {
  const file = join(folder.directory, 'answers.json');
  writeFileSync(file, typeof answers === 'string' ? answers : JSON.stringify(answers));
  const [printed, reported]: [string[], string[]] = [[], []];
  const terminal = {
    print: (line: string) => void printed.push(line),
    report: (line: string) => void reported.push(line),
    hasColors: false,
    width: undefined,
    confirm: undefined,
    env,
  };
  const data = join(folder.directory, 'data');
  const code = await main(['setup', '--answers', file, '--env', envFile, '--data', data], terminal);
  return { code, printed: printed.join('\n'), reported: reported.join('\n') };
}

const answers = () => ({
  platforms: ['slack'],
  'models.url': world.upstream.baseUrl,
  'models.key': 'env:MODEL_KEY',
  'models.model': 'model-e',
  'slack.botToken': world.slack.botToken,
  'slack.appToken': APP_TOKEN,
});

test('with an answers file, setup asks nothing; secrets can be in the environment', async () => {
  const { code, printed } = await setup(answers(), { MODEL_KEY: 'key-of-the-models' });
  expect(printed).toContain('Done: ');
  expect(code).toBe(0);
  expect(folder.readVariables()).toMatchObject({
    UPSTREAM_API_KEY: 'key-of-the-models',
    SLACK_APP_TOKEN: APP_TOKEN,
  });
});

test.each([
  ['a wrong token', { 'slack.botToken': 'xoxb-wrong' }, /An answer does not work/],
  ['a malformed answer', { 'slack.appToken': 'xoxb-1' }, /"slack\.appToken" is wrong: it starts with xapp-/],
  ['a missing answer', { 'models.model': undefined }, /"models\.model" is wrong: an answer is needed/],
  ['an unknown model', { 'models.model': 'model-z' }, /model-z is none of/],
  ['a variable that is not set', { 'models.key': 'env:NOT_SET' }, /variable NOT_SET, which is not set/],
  ['an unknown platform', { platforms: ['irc'] }, /irc is none of slack, discord/],
])('with %s in the file, setup ends with 1 and says so', async (_, change, message) => {
  const { code, reported } = await setup({ ...answers(), ...change }, { MODEL_KEY: 'key-of-the-models' });
  expect(code).toBe(1);
  expect(reported).toMatch(message);
  expect(reported).not.toContain('key-of-the-models');
});

test('an answer that is corrected in the file counts, and not the wrong one of the run before', async () => {
  const env = { MODEL_KEY: 'key-of-the-models' };
  const wrong = { ...answers(), 'models.url': 'http://127.0.0.1:9', 'models.model': 'model-z' };
  expect((await setup(wrong, env)).code).toBe(1);
  const { code, reported } = await setup(answers(), env);
  expect(reported).toBe('');
  expect(code).toBe(0);
  expect(folder.readVariables()).toMatchObject({ UPSTREAM_BASE_URL: world.upstream.baseUrl });
});

test('a file without a target is for this machine, also after one for AWS that failed', async () => {
  expect((await setup({ ...answers(), target: 'aws' }, NO_AWS)).code).toBe(1);
  const { code } = await setup(answers(), { ...NO_AWS, MODEL_KEY: 'key-of-the-models' });
  expect(code).toBe(0);
});

test('a file that is not JSON or not an object of texts is refused', async () => {
  expect((await setup('platforms: slack')).reported).toContain('is not JSON');
  expect(() => parseAnswers('{"platforms": 3}', 'a.json')).toThrow('a.json must be an object with texts');
});

test('a question without an answer gets its initial one', async () => {
  const prompter = createAnswersPrompter({}, {});
  expect(await prompter.ask({ id: 'a', kind: 'text', message: '', initial: 'x' })).toBe('x');
  expect(await prompter.ask({ id: 'a', kind: 'text', message: '', isOptional: true })).toBe('');
});

test('a wrong port ends with 2, and without a terminal setup asks for a file', async () => {
  const reported: string[] = [];
  const terminal = {
    print: () => undefined,
    report: (line: string) => void reported.push(line),
    hasColors: false,
    width: undefined,
    confirm: undefined,
    env: {},
  };
  expect(await main(['setup', '--port', '70000'], terminal)).toBe(2);
  expect(reported.join('')).toContain('0 to 65535');
});

test('a folder as the file for the settings is an error, before anything is asked', async () => {
  const { code, reported } = await setup(answers(), {}, folder.directory);
  expect(reported).toContain(`${folder.directory} is a folder: --env takes a file.`);
  expect(code).toBe(1);
});
