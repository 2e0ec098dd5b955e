// The alert channels of a config, opened for sending.
import type { ChannelConfig, ResolvedConfig } from '../../../config/resolve.ts';
import type { AlertChannel, DigestChannel } from '../../../jobs/alerts/alert-channel.ts';
import { fileChannel } from '../../../jobs/alerts/alert-file.ts';
import { mailChannel } from '../../../jobs/alerts/alert-mail.ts';
import { webhookChannel } from '../../../jobs/alerts/alert-webhook.ts';
import type { SendSettings } from '../../../jobs/alerts/send-alerts.ts';
import type { JobContext } from '../../../jobs/context.ts';

export function sendSettings({ alerts, reports }: ResolvedConfig, context: JobContext): SendSettings {
  return {
    channels: new Map([...alerts.channels].map(([name, channel]) => [name, openChannel(channel, context)])),
    reportsDirectory: reports.directory,
    reportsUrl: reports.url,
  };
}

/** The only place that reads the URLs of channels. */
export function openChannel(
  channel: ChannelConfig,
  { clock }: Pick<JobContext, 'clock'>,
): AlertChannel & DigestChannel {
  switch (channel.type) {
    case 'webhook': {
      const { url, format, authorization, secret } = channel;
      return webhookChannel({
        ...{ url: url.reveal(), format },
        ...(authorization !== undefined && { authorization: authorization.reveal() }),
        ...(secret !== undefined && { secret: secret.reveal() }),
      });
    }
    case 'email': {
      const { smtp, from, to, attach } = channel;
      return mailChannel({ smtp: smtp.reveal(), from, to, attach });
    }
    case 'file':
      return fileChannel(channel.path, () => clock.now());
  }
}
