import { CREDENTIALS, getValue, VARIABLES, type Variables } from '../../../configuration/index.ts';

/** Where ffmpeg lies on this machine says nothing about AWS. */
const LOCAL: readonly string[] = ['FFMPEG_PATH'];

/** The template has these parameters only with the relay. CloudFormation rejects others than those of the template. */
const OF_RELAY: readonly string[] = ['DISCORD_GATEWAY_URL', 'DISCORD_MESSAGES', 'DISCORD_RELAY_TASKS'];

export type Deployment = {
  readonly stage: string;
  /** Whether the relay of Discord runs. */
  readonly relay: boolean;
  /** Options for how many functions may run at a time, if fewer than usual. */
  readonly concurrency?: readonly string[] | undefined;
};

const toParameter = (variable: string): string =>
  variable.toLowerCase().replaceAll(/(?:^|_)([a-z])/gu, (_, letter: string) => letter.toUpperCase());

/** Returns the arguments of `cdk deploy`: each setting of `.env` that is no credential is a parameter of the template. */
export function toDeployArguments(
  { stage, relay, concurrency = [] }: Deployment,
  variables: Variables,
): string[] {
  const parameters = Object.keys(VARIABLES)
    .filter((name) => !CREDENTIALS.includes(name) && !LOCAL.includes(name))
    .filter((name) => relay || !OF_RELAY.includes(name))
    .flatMap((name) => {
      const value = getValue(variables, name);
      return value === undefined ? [] : ['--parameters', `${toParameter(name)}=${value}`];
    });
  return [
    'deploy',
    '-c',
    `stage=${stage}`,
    ...(relay ? ['-c', 'relay=on'] : []),
    ...concurrency.flatMap((option) => ['-c', option]),
    '--require-approval',
    'never',
    '--progress',
    'events',
    ...parameters,
  ];
}
