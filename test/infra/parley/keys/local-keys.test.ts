import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLocalKeys } from '../../../../infra/parley/keys/key-places.ts';
import { scratch } from '../../local/sample-template.ts';

let folder: ReturnType<typeof scratch>;
beforeEach(() => {
  folder = scratch();
});
afterEach(() => folder.remove());

test('a key in .env is replaced; the other lines, and a link to the file, stay', async () => {
  const [file, link] = ['real.env', '.env'].map((name) => join(folder.directory, name));
  if (file === undefined || link === undefined) throw new Error('no names');
  writeFileSync(file, '# mine\nUPSTREAM_API_KEY=the-old-key\nLOG_LEVEL=warn\n');
  symlinkSync(file, link);
  const place = openLocalKeys(link);
  expect(await place.read('models')).toEqual({ apiKey: 'the-old-key' });
  expect(await place.read('slack')).toEqual({});
  await place.write('models', { apiKey: 'the-new-key' });
  expect(readFileSync(file, 'utf8')).toBe('# mine\nUPSTREAM_API_KEY=the-new-key\nLOG_LEVEL=warn\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
});
