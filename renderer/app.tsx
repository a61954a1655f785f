import { History, type LucideIcon, Settings, Workflow } from 'lucide-react';
import { AllowPage } from './pages/allow.tsx';
import { AutomationsPage } from './pages/automations.tsx';
import { RunPage } from './pages/run.tsx';
import { RunsPage } from './pages/runs.tsx';
import { SettingsPage } from './pages/settings.tsx';
import { StartPage } from './pages/start.tsx';
import { hrefOf, type Route, useRoute } from './route.ts';
import { RunsData, useRunsList, useWaitingRuns } from './runs-data.ts';
import { useTexts } from './texts.ts';
import './styles/base.css';
import './styles/shell.css';

/** The window: navigation, and the page that the address names. */
export function App() {
  const route = useRoute();
  const runs = useRunsList();
  const needs = useWaitingRuns().length;
  const working = runs.value?.filter((run) => run.status === 'running').length ?? 0;
  return (
    <RunsData value={runs}>
      <div className="shell">
        <Navigation route={route} working={working} needs={needs} />
        <main>
          <Page route={route} />
        </main>
      </div>
    </RunsData>
  );
}

function Page({ route }: { route: Route }) {
  const { words } = useTexts();
  switch (route.page) {
    case 'automations':
      return <AutomationsPage />;
    case 'allow':
      return <AllowPage key={route.path} path={route.path} />;
    case 'start':
      return <StartPage key={route.path} path={route.path} />;
    case 'settings':
      return <SettingsPage />;
    case 'runs':
      return <RunsPage />;
    case 'run':
      return <RunPage key={route.runId} runId={route.runId} back={words.run.back} />;
  }
}

function Navigation({ route, working, needs }: { route: Route; working: number; needs: number }) {
  const { words } = useTexts();
  return (
    <nav className="navigation" aria-label={words.nav.label}>
      <NavigationLink
        to="automations"
        icon={Workflow}
        text={words.nav.automations}
        current={route.page === 'automations' || route.page === 'allow' || route.page === 'start'}
      />
      <NavigationLink
        to="runs"
        icon={History}
        text={words.nav.runs}
        current={route.page === 'runs' || route.page === 'run'}
      >
        {working > 0 && <Count number={working} text={words.nav.working(working)} />}
        {needs > 0 && <Count number={needs} text={words.nav.needs(needs)} tone="needs" />}
      </NavigationLink>
      <NavigationLink to="settings" icon={Settings} text={words.nav.settings} current={route.page === 'settings'} />
    </nav>
  );
}

function Count({ number, text, tone = '' }: { number: number; text: string; tone?: string }) {
  return (
    <span className={`count ${tone}`} role="img" aria-label={text} title={text}>
      {number}
    </span>
  );
}

interface NavigationLinkProps {
  to: 'automations' | 'runs' | 'settings';
  icon: LucideIcon;
  text: string;
  current: boolean;
  children?: React.ReactNode;
}

function NavigationLink({ to, icon: Icon, text, current, children }: NavigationLinkProps) {
  return (
    <a href={hrefOf({ page: to })} aria-current={current ? 'page' : undefined}>
      <Icon size={16} aria-hidden />
      <span>{text}</span>
      {children}
    </a>
  );
}
