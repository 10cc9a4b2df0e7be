import { AboutPage } from "@/components/settings/about/about-page";
import { docNames, readAbout } from "@/lib/server/about/about";

export default async function Page() {
  return <AboutPage about={await readAbout()} docs={docNames} />;
}
