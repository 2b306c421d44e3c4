// The page: its routes. Without React's StrictMode, which resumes an answer twice.
import './shared/checks'
import './shared/style.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Outlet, RouterProvider, createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { Gate } from './account/gate'
import { ChatScreen } from './chat/screen'
import { Problem } from './shared/api'
import { applyTheme } from './shared/theme'

applyTheme()

// One component for both addresses, so that a conversation stays when it gets its address.
const Page = () => (
	<Gate>
		<ChatScreen />
	</Gate>
)
const root = createRootRoute({ component: Page, notFoundComponent: () => null })
const home = createRoute({ getParentRoute: () => root, path: '/', component: Outlet })
const chat = createRoute({ getParentRoute: () => root, path: '/chat/$id', component: Outlet })
const setup = createRoute({ getParentRoute: () => root, path: '/setup', component: Outlet })
const router = createRouter({ routeTree: root.addChildren([home, chat, setup]) })

declare module '@tanstack/react-router' {
	interface Register {
		router: typeof router
	}
}

const store = new QueryClient({
	defaultOptions: {
		queries: { retry: (n, e) => n < 1 && e instanceof Problem && e.status === 0, refetchOnWindowFocus: true, staleTime: 5000 },
	},
})

createRoot(document.getElementById('page')!).render(
	<QueryClientProvider client={store}>
		<RouterProvider router={router} />
	</QueryClientProvider>,
)
