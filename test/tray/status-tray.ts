import dbus from 'dbus-native';

/** An entry of an icon's menu. */
export interface MenuEntry {
  id: number;
  label: string;
  enabled: boolean;
}

/** What a tray shows of an application: its icon, its hover text and its menu. */
export interface TrayItem {
  tooltip(): Promise<string>;
  /** The icon's picture at each size, as one text: equal for equal pictures. */
  picture(): Promise<string>;
  menu(): Promise<MenuEntry[]>;
  /** Chooses the entry with this label. */
  choose(label: string): Promise<void>;
  /** Clicks the icon. */
  click(): Promise<void>;
}

type Layout = [id: number, properties: Record<string, unknown>, children: Layout[]];

const watcher = 'org.kde.StatusNotifierWatcher';
const itemInterface = 'org.kde.StatusNotifierItem';
const menuInterface = 'com.canonical.dbusmenu';

/** A tray of the kind that Linux desktops have (StatusNotifierItem), for tests: nobody sees it. */
export class StatusTray {
  readonly #bus: ReturnType<typeof dbus.createClient>;
  readonly #registered: Promise<string>;
  #register: (service: string) => void = () => {};

  constructor(busAddress: string) {
    this.#bus = dbus.createClient({ busAddress, plainValues: true });
    this.#registered = new Promise((resolve) => {
      this.#register = resolve;
    });
  }

  /** Takes the name that applications look for; resolves when they find it. */
  async open(): Promise<void> {
    this.#bus.exportInterface(
      {
        RegisterStatusNotifierItem: (service: string) => this.#register(service),
        RegisterStatusNotifierHost: () => {},
        IsStatusNotifierHostRegistered: true,
        ProtocolVersion: 0,
        RegisteredStatusNotifierItems: [],
      },
      '/StatusNotifierWatcher',
      {
        name: watcher,
        methods: {
          RegisterStatusNotifierItem: ['s', '', ['service'], []],
          RegisterStatusNotifierHost: ['s', '', ['service'], []],
        },
        properties: {
          IsStatusNotifierHostRegistered: 'b',
          ProtocolVersion: 'i',
          RegisteredStatusNotifierItems: 'as',
        },
      },
    );
    await this.#bus.requestName(watcher, 0);
  }

  async close(): Promise<void> {
    await this.#bus.close();
  }

  /** The first application that puts itself into the tray. */
  async item(): Promise<TrayItem> {
    const destination = await this.#registered;
    const property = (name: string): Promise<unknown> =>
      this.#call(destination, '/StatusNotifierItem', 'org.freedesktop.DBus.Properties', 'Get', 'ss', [
        itemInterface,
        name,
      ]);
    const menuCall = async (member: string, signature: string, body: unknown[]): Promise<unknown> =>
      this.#call(destination, String(await property('Menu')), menuInterface, member, signature, body);
    const menu = async (): Promise<MenuEntry[]> => {
      const [, [, , children]] = (await menuCall('GetLayout', 'iias', [0, -1, []])) as [number, Layout];
      return children.map(([id, { label = '', enabled = true }]) => ({
        id,
        label: String(label).replaceAll('_', ''),
        enabled: enabled === true,
      }));
    };
    return {
      tooltip: async () => ((await property('ToolTip')) as string[])[2] ?? '',
      picture: async () => JSON.stringify(await property('IconPixmap')),
      menu,
      choose: async (label) => {
        const entry = (await menu()).find((one) => one.label === label);
        if (entry === undefined) throw new Error(`the menu has no entry "${label}"`);
        await menuCall('Event', 'isvu', [entry.id, 'clicked', ['s', ''], 0]);
      },
      click: async () => {
        await this.#call(destination, '/StatusNotifierItem', itemInterface, 'Activate', 'ii', [0, 0]);
      },
    };
  }

  async #call(
    destination: string,
    path: string,
    iface: string,
    member: string,
    signature: string,
    body: unknown[],
  ): Promise<unknown> {
    return await this.#bus.invoke({ destination, path, interface: iface, member, signature, body });
  }
}
