import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { appendFileSync } from 'node:fs';
import { startWorld, type World } from '../doctor/world.ts';
import { SetupFolder } from './scripted.ts';

let world: World;
let folder: SetupFolder;
beforeEach(async () => {
  world = await startWorld({ isNew: true });
  folder = new SetupFolder(world, '');
});
afterEach(async () => {
  folder.remove();
  await world.close();
});

const run = (model: string) =>
  folder.run({
    platforms: '',
    'models.url': world.upstream.baseUrl,
    'models.key': 'key-of-the-models',
    'models.model': model,
  });
const countQuestions = (): number =>
  world.upstream.journal.filter(({ path }) => path.endsWith('/chat/completions')).length;

test('the set-up asks the model one short question', async () => {
  const { output, error } = await run('model-e');
  expect(error).toBeUndefined();
  expect(output).toMatch(/Asking model-e a short question[^]*Models: model-e answers:/u);
  expect(countQuestions()).toBe(1);
});

test('the set-up asks a server of the older form nothing, which would not understand it', async () => {
  appendFileSync(folder.envFile, 'UPSTREAM_SHAPE=legacy\n');
  const { output, error } = await run('vendor-flash');
  expect(error).toBeUndefined();
  expect(output).toContain('Models: vendor-flash is not asked, because UPSTREAM_SHAPE is legacy.');
  expect(countQuestions()).toBe(0);
  expect(folder.readVariables()).toMatchObject({ UPSTREAM_MODEL: 'vendor-flash' });
});
