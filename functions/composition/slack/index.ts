export { slackFront, slackFrontDeps } from './slack-front.ts';
export { installDeps, slackInstall } from './slack-install.ts';
