/** The front of the Bolt bot alone, as a function on Lambda: verifies, acknowledges, and starts the listener. */
import bolt from '@slack/bolt';

const receiver = new bolt.AwsLambdaReceiver({ signingSecret: process.env.SLACK_SIGNING_SECRET });
const app = new bolt.App({
  token: process.env.SLACK_BOT_TOKEN,
  receiver,
  clientOptions: { slackApiUrl: process.env.SLACK_API_URL },
});
app.event('app_mention', async () => undefined);
app.event('message', async () => undefined);

export const handler = async (event, context) => {
  const handle = await receiver.start();
  return handle(event, context, () => undefined);
};
