import { describe, expect, test } from '@jest/globals';
import { checkEnvironment, readEnvFile } from '../../../infra/configuration/env-file.ts';

const problems = (text: string) => readEnvFile(text).checks;

describe('.env', () => {
  test('that is correct gives its variables without a check result', () => {
    const text =
      '# Slack\nSLACK_BOT_TOKEN=xoxb-1\nexport LOG_LEVEL="debug"\n\nSYSTEM_PROMPT="You are\nSLACK_TOKN=nobody\n# kind"\n';
    expect(readEnvFile(text)).toEqual({
      variables: {
        SLACK_BOT_TOKEN: 'xoxb-1',
        LOG_LEVEL: 'debug',
        SYSTEM_PROMPT: 'You are\nSLACK_TOKN=nobody\n# kind',
      },
      checks: [],
    });
  });

  test.each([
    ['SLACK_BOT_TOKN', 'SLACK_BOT_TOKEN'],
    ['slack_bot_token', 'SLACK_BOT_TOKEN'],
    ['SlackBotToken', 'SLACK_BOT_TOKEN'],
    ['TIMEZONE', 'TIME_ZONE'],
    ['UPSTREAM_BASEURL', 'UPSTREAM_BASE_URL'],
    ['OTHER_MODEL', 'OTHER_MODELS'],
  ])('with %s, which is misspelled, fails and names %s', (name, meant) => {
    expect(problems(`${name}=secret`)).toEqual([
      {
        name,
        result: 'fail',
        finding: expect.stringContaining('.env has it'),
        fix: expect.stringContaining(`Did you mean ${meant}`),
      },
    ]);
  });

  test.each([
    ['DISCORD_TOKEN', 'DISCORD_BOT_TOKEN'],
    ['SLACK_TOKEN', 'SLACK_BOT_TOKEN'],
    ['UPSTREAM_KEY', 'UPSTREAM_API_KEY'],
  ])('with %s, which may belong to another program, warns and names %s', (name, meant) => {
    const [check] = problems(`${name}=secret`);
    expect(check).toMatchObject({ name, result: 'warn', fix: expect.stringContaining(meant) });
  });

  test('with an unknown name warns that it is not read', () => {
    expect(problems('MY_OWN_THING=1')).toEqual([
      {
        name: 'MY_OWN_THING',
        result: 'warn',
        finding: expect.any(String),
        fix: expect.not.stringMatching(/mean/),
      },
    ]);
  });

  test('with a line that is not NAME=value fails with the line number, without its content', () => {
    const [check, ...more] = problems('LOG_LEVEL=info\n\nSLACK_BOT_TOKEN xoxb-secret\n');
    expect(more).toEqual([]);
    expect(check).toMatchObject({ name: '.env, line 3', result: 'fail' });
    expect(JSON.stringify(check)).not.toContain('secret');
  });

  test.each([
    ['UPSTREAM_API_KEY', 'UPSTREAM_API_KEY=ab#cd'],
    ['UPSTREAM_API_KEY', 'export UPSTREAM_API_KEY = ab#cd'],
    ['SYSTEM_PROMPT', 'SYSTEM_PROMPT=You are the helper of #support. Answer briefly.'],
  ])('warns that a # cuts the value of %s: %s', (name, line) => {
    expect(problems(line)).toEqual([
      {
        name,
        result: 'warn',
        finding: 'what comes after # is not read.',
        fix: expect.stringContaining(`${name}="`),
      },
    ]);
  });

  test.each([
    'SYSTEM_PROMPT="You are the helper of #support."',
    "SYSTEM_PROMPT='It\\'s for #support.'",
    'SYSTEM_PROMPT=# nothing yet',
    'SYSTEM_PROMPT= # nothing yet',
    'LOG_LEVEL=warn # mine',
    'LOG_LEVEL="warn"# mine',
  ])('does not warn of the # in %s', (line) => {
    expect(problems(line)).toEqual([]);
  });

  test('with a repeated name warns that the last one counts', () => {
    expect(problems('LOG_LEVEL=info\nLOG_LEVEL=debug\n')).toMatchObject([
      { name: 'LOG_LEVEL', result: 'warn', finding: expect.stringContaining('line 2') },
    ]);
  });
});

describe('the environment of the process', () => {
  test('is checked only for names that look like misspelled Parley variables', () => {
    expect(
      checkEnvironment({
        PATH: '/bin',
        ACCOUNT: 'x',
        LOG_LEVELS: '1',
        SLACK_APP_ID: 'A1',
        SLACK_BOT_TOKEN: 'x',
      }),
    ).toEqual([]);
    expect(checkEnvironment({ DISCORD_BOT_TOKN: 'secret' })).toMatchObject([
      { name: 'DISCORD_BOT_TOKN', result: 'warn', fix: expect.stringContaining('DISCORD_BOT_TOKEN') },
    ]);
  });
});
