import { CREDENTIALS, getValue, VARIABLES, type Variables } from '../../../configuration/index.ts';

/** Where ffmpeg lies on this machine says nothing about AWS. */
const LOCAL: readonly string[] = ['FFMPEG_PATH'];

const toParameter = (variable: string): string =>
  variable.toLowerCase().replaceAll(/(?:^|_)([a-z])/gu, (_, letter: string) => letter.toUpperCase());

/** Returns the arguments of `cdk deploy`: each setting of `.env` that is no credential is a parameter of the template. */
export function toDeployArguments(
  { stage, relay }: { readonly stage: string; readonly relay: boolean },
  variables: Variables,
): string[] {
  const parameters = Object.keys(VARIABLES)
    .filter((name) => !CREDENTIALS.includes(name) && !LOCAL.includes(name))
    .flatMap((name) => {
      const value = getValue(variables, name);
      return value === undefined ? [] : ['--parameters', `${toParameter(name)}=${value}`];
    });
  return [
    'deploy',
    '-c',
    `stage=${stage}`,
    ...(relay ? ['-c', 'relay=on'] : []),
    '--require-approval',
    'never',
    '--progress',
    'events',
    ...parameters,
  ];
}
