import { expect, test } from '@jest/globals';
import { buildDiscordCommands } from '../../infra/cli/discord-commands.ts';
import { FILES } from '../../shared/commands/command-list.ts';
import { LOCALES } from '../../shared/i18n/index.ts';
import { TEXTS } from '../../shared/i18n/texts.ts';

const WORKSPACE = /workspace|espace de travail|espacio de trabajo|ワークスペース|워크스페이스|工作区/iu;
/** Texts for Slack alone: its files and canvases, its search, and the level of settings, which has another text in Discord. */
const SLACK_ONLY = /^files\.|^answers\.messages\.missing-scope$|^settings\.(?:level|from|show)\.workspace$/u;
/** Not words: the case of a selection, or an argument. */
const SYNTAX = /workspace \{|\{workspace\}/gu;

test('texts that people see in Discord never call a server a workspace', () => {
  const badKeys = Object.entries(TEXTS).flatMap(([area, texts]) =>
    LOCALES.flatMap((locale) =>
      Object.entries<string>(texts[locale])
        .filter(
          ([key, text]) => !SLACK_ONLY.test(`${area}.${key}`) && WORKSPACE.test(text.replace(SYNTAX, '')),
        )
        .map(([key]) => `${locale} ${area}.${key}`),
    ),
  );
  expect(badKeys).toEqual([]);
});

test('nor do the commands: only the value that an app receives is called so', () => {
  const definitions = JSON.stringify(buildDiscordCommands(FILES)).replaceAll('"value":"workspace"', '');
  expect(definitions.match(new RegExp(`.{40}(?:${WORKSPACE.source}).{20}`, 'iu'))).toBeNull();
});
