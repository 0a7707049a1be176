import { expect, test } from '@jest/globals';
import { findImports } from '../../../infra/checks/imports.ts';
import { readSourceTree } from '../../../infra/checks/source-tree.ts';

/** All files and packages that a file loads, by static and dynamic imports. */
async function loadedBy(entry: string): Promise<ReadonlySet<string>> {
  const files = new Map((await readSourceTree()).map((file) => [file.path, file]));
  const loaded = new Set([entry]);
  for (const path of loaded) {
    const file = files.get(path);
    for (const { target, isTypeOnly } of file ? findImports(file) : []) if (!isTypeOnly) loaded.add(target);
  }
  return loaded;
}

// The functions run in threads of their own. Bolt is loaded only with Socket Mode of the real Slack. What the main process loads stays in memory while the bot waits for questions.
test('the main process of the local system does not load the bot', async () => {
  const loaded = await loadedBy('infra/local/run.ts');
  expect(loaded).toContain('infra/local/system.ts');
  expect(loaded).toContain('test/simulators/discord/index.ts');
  // The rules for addresses and lists of the models import nothing else.
  const unwanted =
    /^(?:shared\/(?:chat|commands|i18n|upstream(?!\/(?:http\/(?:endpoint-url|json)|models\/model)\.ts)|platforms\/(?:slack|discord)\/index)|@aws-sdk\/|@discordjs\/|@slack\/(?!bolt$))/u;
  expect([...loaded].filter((name) => unwanted.test(name))).toEqual([]);
});
