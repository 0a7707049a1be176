import { expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { COMMANDS } from '../../shared/commands/command-list.ts';

test('a front that reads commands holds their names and the traits of platforms, and nothing of what they do or say', async () => {
  const { metafile, outputFiles } = await build({
    stdin: {
      contents: `export * from './arguments/parse-arguments.ts'; export { COMMANDS, DISCORD_MESSAGE_COMMANDS } from './command-list.ts';`,
      resolveDir: 'shared/commands',
    },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
  });
  const [output] = Object.values(metafile.outputs);
  const inputs = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  for (const [path] of inputs)
    expect(path).toMatch(
      /^(?:<stdin>|shared\/commands\/|shared\/settings\/|shared\/i18n\/labels\/|shared\/domain\/thread.ts$)/,
    );
  // For each command, and for how what is typed is read.
  expect(outputFiles[0]?.contents.byteLength).toBeLessThan(400 * COMMANDS.length + 2_500);
});
