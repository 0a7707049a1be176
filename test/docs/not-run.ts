import type { SimpleCommand } from './shell-words.ts';

const ACCOUNT = 'needs an AWS account';
const PERSON = 'changes the shell or the files of the person who types it';

/** Commands that no test can run, with the reason, by their first words. `bash -n` still checks how they are written. */
const REASONS: Readonly<Record<string, string>> = {
  aws: ACCOUNT,
  out: `${ACCOUNT}; test/infra/guides compares the names of outputs with the template`,
  'npm ci': 'installs the packages: the first step of .ci/run',
  'npm install': 'changes the packages of the project',
  'npm link': 'changes the machine',
  'npm audit': 'needs the registry',
  'apt-get': 'changes the machine: .ci/run does it where there is no browser',
  curl: 'test/integrations/examples.test.ts sends these requests to a front of its own',
  umask: PERSON,
  export: PERSON,
  rm: PERSON,
  // The editor that the person has chosen.
  '${EDITOR:-vi}': PERSON,
};

/** Why a command cannot run in a test; undefined if it can. */
export function findReasonNotToRun({ words }: SimpleCommand): string | undefined {
  const [program = '', second = ''] = words;
  return REASONS[program] ?? REASONS[`${program} ${second}`];
}

/** Reasons that no command of the documents needs. */
export const findUnusedReasons = (commands: readonly SimpleCommand[]): string[] =>
  Object.keys(REASONS).filter(
    (key) => !commands.some(({ words }) => words[0] === key || words.slice(0, 2).join(' ') === key),
  );
